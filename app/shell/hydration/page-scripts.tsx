import { Scripts } from "@remix-run/react";
import {
  Children,
  cloneElement,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
} from "react";
import { PageDataContext } from "./page-data-context";

/**
 * The page's data and its scripts, which are fetched after the first paint. The page works without them, so
 * on a slow connection they should not compete with text, styles and fonts.
 */
export function PageScripts({ nonce }: { nonce: string | undefined }) {
  const data = useContext(PageDataContext);
  // called rather than rendered, because its output has to be modified
  const { preloads, rest } = takePreloads(Scripts({ nonce }));
  return <>{rest.map((element) => changed(element, preloads, data))}</>;
}

type Element = ReactElement<{
  rel?: string;
  href?: string;
  type?: string;
  children?: ReactNode;
  dangerouslySetInnerHTML?: { __html: string };
}>;

function takePreloads(node: ReactNode): { preloads: string[]; rest: Element[] } {
  const preloads: string[] = [];
  const rest: Element[] = [];
  const visit = (part: ReactNode) =>
    Children.forEach(part, (child) => {
      if (!isValidElement(child)) return;
      const element = child as Element;
      const { rel, href, children } = element.props;
      if (element.type === "link" && rel === "modulepreload") preloads.push(href ?? "");
      else if (children === undefined) rest.push(element);
      else visit(children);
    });
  visit(node);
  return { preloads, rest };
}

/** Adds the data to the script that opens a stream for it, and defers the script that imports the modules. */
function changed(element: Element, preloads: string[], data: string | undefined): Element {
  const { type, dangerouslySetInnerHTML } = element.props;
  const key = element.key ?? type ?? "data";
  const script = dangerouslySetInnerHTML?.__html ?? "";
  if (type !== "module") {
    const __html = data === undefined ? script : script + dataScript(data);
    return cloneElement(element, { key, dangerouslySetInnerHTML: { __html } });
  }
  return cloneElement(element, {
    key,
    type: undefined,
    ...{ async: undefined },
    dangerouslySetInnerHTML: { __html: startScript(script, preloads) },
  });
}

/**
 * What Remix's StreamTransfer does in several scripts. "<" is escaped so that the data cannot end the script.
 */
function dataScript(data: string): string {
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `(({ streamController: data }) => {
  data.enqueue(${text});
  data.close();
})(window.__remixContext);`;
}

/**
 * A script that runs `modules` after the first paint, or at once in a hidden tab; in browsers that do not
 * report paints, half a second after the page has loaded.
 */
function startScript(modules: string, preloads: string[]): string {
  return `(() => {
  let begun = false;
  const begin = async () => {
    if (begun) return;
    begun = true;
    for (const href of ${JSON.stringify(preloads)}) {
      const link = document.createElement("link");
      Object.assign(link, { rel: "modulepreload", href, fetchPriority: "low" });
      document.head.append(link);
    }
    try {
      ${toDynamicImports(modules)}
    } catch (error) {
      console.warn("The page continues without its scripts.", error);
    }
  };
  if (document.hidden) begin();
  addEventListener("load", () => setTimeout(begin, 500));
  try {
    new PerformanceObserver(begin).observe({ type: "paint", buffered: true });
  } catch {}
})();`;
}

/** Static imports are allowed only at the top of a module; an inline script uses dynamic ones. */
function toDynamicImports(modules: string): string {
  const names: string[] = [];
  const imports: string[] = [];
  const rest = modules
    .replace(/^import \* as (\w+) from ("[^"]+");?$/gm, (_, name: string, url: string) => {
      names.push(name);
      imports.push(`import(${url})`);
      return "";
    })
    // a development build has two imports on one line
    .replace(/\bimport ("[^"]+");/g, "await import($1);")
    .replace(/^import\(/gm, "await import(");
  return `const [${names}] = await Promise.all([${imports}]);${rest}`;
}
