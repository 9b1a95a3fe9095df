import { SCROLL_SCRIPT } from "../scroll-script.server";
import type { InlineScripts } from "./inline-scripts-context";

/** The inline scripts of a page; `pageData` is its loader data as serialized by turbo-stream, if it has any. */
export function inlineScripts(pageData: string | undefined): InlineScripts {
  return {
    data: (setUp) => (pageData === undefined ? setUp : setUp + dataScript(pageData)),
    start: startScript,
    scrollPosition: SCROLL_SCRIPT,
  };
}

/** A text as a string in an inline script, in which "<" is escaped so that it cannot end the script. */
export function scriptText(text: string): string {
  return JSON.stringify(text).replaceAll("<", "\\u003c");
}

/** What Remix's StreamTransfer does in several scripts. */
function dataScript(data: string): string {
  return `(({ streamController: data }) => {
  data.enqueue(${scriptText(data)});
  data.close();
})(window.__remixContext);`;
}

/**
 * A script that runs `modules` after the first paint, or at once in a hidden tab; in browsers that do not
 * report paints, half a second after the page has loaded.
 */
function startScript(modules: string, preloads: readonly string[]): string {
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
