import { type Components, toJsxRuntime } from "hast-util-to-jsx-runtime";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import type { MarkdownTree } from "./markdown-tree.server";

export type { Components as MarkdownComponents };

type MarkdownContentProps = {
  tree: MarkdownTree;
  components?: Partial<Components>;
  /** How the cells of a table say where their words stand; by default in their style. */
  cellAlignment?: "style" | "attribute";
};

/** A text's tree as React elements, with a component in place of each HTML element that has one. */
export function MarkdownContent({
  tree,
  components,
  cellAlignment = "style",
}: MarkdownContentProps) {
  return toJsxRuntime(tree, {
    Fragment,
    jsx,
    jsxs,
    components,
    tableCellAlignToStyle: cellAlignment === "style",
  });
}
