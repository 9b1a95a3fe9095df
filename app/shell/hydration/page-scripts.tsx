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
 * The page's data, and its scripts, fetched when the page has been painted. All of it works without them, so
 * on a slow line the text, the styles and the typefaces do not share it with what makes them come alive.
 */
export function PageScripts({ nonce }: { nonce: string | undefined }) {
  const data = useContext(PageDataContext);
  // called, not rendered: what Remix makes of it is what has to be changed
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

/** Of the two scripts, the one that opens a stream for the page's data gets it, and the one that imports waits. */
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

/** What Remix's StreamTransfer says in several scripts; without a "<" nothing in the data can end this one. */
function dataScript(data: string): string {
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `(({ streamController: data }) => {
  data.enqueue(${text});
  data.close();
})(window.__remixContext);`;
}

/**
 * A script that runs `modules` once the page has been painted, or at once in a tab that nobody looks at;
 * where a browser does not tell of paints, half a second after all of the page has come.
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
      console.warn("The page goes on without its scripts.", error);
    }
  };
  if (document.hidden) begin();
  addEventListener("load", () => setTimeout(begin, 500));
  try {
    new PerformanceObserver(begin).observe({ type: "paint", buffered: true });
  } catch {}
})();`;
}

/** Static imports are for the top of a module; a script within a page may import as it goes. */
function toDynamicImports(modules: string): string {
  const names: string[] = [];
  const imports: string[] = [];
  const rest = modules
    .replace(/^import \* as (\w+) from ("[^"]+");?$/gm, (_, name: string, url: string) => {
      names.push(name);
      imports.push(`import(${url})`);
      return "";
    })
    // a development build has two of them on a line
    .replace(/\bimport ("[^"]+");/g, "await import($1);")
    .replace(/^import\(/gm, "await import(");
  return `const [${names}] = await Promise.all([${imports}]);${rest}`;
}
