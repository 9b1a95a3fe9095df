import { Scripts } from "@remix-run/react";
import {
  Children,
  cloneElement,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
} from "react";
import { type InlineScripts, InlineScriptsContext } from "./inline-scripts-context";

/**
 * The page's data and its scripts, which are fetched after the first paint. The page works without them, so
 * on a slow connection they should not compete with text, styles and fonts.
 */
export function PageScripts({ nonce }: { nonce: string | undefined }) {
  const scripts = useContext(InlineScriptsContext);
  // called rather than rendered, because its output has to be modified
  const { preloads, rest } = takePreloads(Scripts({ nonce }));
  return <>{rest.map((element) => changed(element, preloads, scripts))}</>;
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
function changed(
  element: Element,
  preloads: readonly string[],
  scripts: InlineScripts | undefined,
): Element {
  const { type, dangerouslySetInnerHTML } = element.props;
  const key = element.key ?? type ?? "data";
  const script = dangerouslySetInnerHTML?.__html ?? "";
  if (type !== "module") {
    const __html = scripts?.data(script) ?? "";
    return cloneElement(element, { key, dangerouslySetInnerHTML: { __html } });
  }
  return cloneElement(element, {
    key,
    type: undefined,
    ...{ async: undefined },
    dangerouslySetInnerHTML: { __html: scripts?.start(script, preloads) ?? "" },
  });
}
