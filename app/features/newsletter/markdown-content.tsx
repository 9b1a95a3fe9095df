import { type Components, toJsxRuntime } from "hast-util-to-jsx-runtime";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import type { MarkdownTree } from "./markdown-tree.server";

export type { Components as MarkdownComponents };

/** A text's tree as React elements, with a component in place of each HTML element that has one. */
export function MarkdownContent({
  tree,
  components,
}: {
  tree: MarkdownTree;
  components?: Partial<Components>;
}) {
  return toJsxRuntime(tree, { Fragment, jsx, jsxs, components, ignoreInvalidStyle: true });
}
