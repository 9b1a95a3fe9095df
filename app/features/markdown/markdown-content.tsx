import type { Element, RootContent } from "hast";
import { type ComponentType, createElement, Fragment, type ReactNode } from "react";
import type { MarkdownTree } from "./markdown-tree.server";

/** Components by the names of the HTML elements they stand for, each taking that element's properties. */
export type MarkdownComponents = Readonly<Record<string, ComponentType<never>>>;

type MarkdownContentProps = {
  tree: MarkdownTree;
  components?: MarkdownComponents;
  /** How the cells of a table say where their words stand; by default in their style. */
  cellAlignment?: "style" | "attribute";
};

const VOID_ELEMENTS = ["br", "hr", "img"];

/** Between these elements HTML has no text, and React warns of line breaks there. */
const TABLE_PARTS = ["table", "thead", "tbody", "tr"];

/**
 * A text's tree as React elements, with a component in place of each HTML element that has one. The tree has but a
 * dozen properties, which React calls by the same names; hast-util-to-jsx-runtime would be 29 KB of script on every page.
 */
export function MarkdownContent({
  tree,
  components = {},
  cellAlignment = "style",
}: MarkdownContentProps) {
  const render = (node: RootContent, index: number, parent?: Element): ReactNode => {
    if (node.type === "text") {
      return parent && TABLE_PARTS.includes(parent.tagName) ? null : node.value;
    }
    if (node.type !== "element") return null;
    const { align, ...properties } = node.properties;
    const alignment =
      align === undefined || cellAlignment === "attribute"
        ? { align }
        : { style: { textAlign: align } };
    return createElement(
      (components[node.tagName] as ComponentType | undefined) ?? node.tagName,
      { key: index, ...properties, ...alignment },
      ...(VOID_ELEMENTS.includes(node.tagName)
        ? []
        : [node.children.map((child, at) => render(child, at, node))]),
    );
  };
  return createElement(
    Fragment,
    null,
    tree.children.map((node, index) => render(node, index)),
  );
}
