import type { Element, RootContent } from "hast";
import { type ComponentType, createElement, Fragment, type ReactNode } from "react";
import type { MarkdownTree } from "./markdown-tree.server";

/** Components by HTML element name, each with that element's props. */
export type MarkdownComponents = Readonly<Record<string, ComponentType<never>>>;

type MarkdownContentProps = {
  tree: MarkdownTree;
  components?: MarkdownComponents;
  /** Whether table cells are aligned by their style, the default, or by an attribute. */
  cellAlignment?: "style" | "attribute";
};

const VOID_ELEMENTS = ["br", "hr", "img"];

/** HTML has no text between these elements, and React warns about line breaks there. */
const TABLE_PARTS = ["table", "thead", "tbody", "tr"];

/**
 * Renders a text's tree as React elements, with components in place of their HTML elements. The tree has only a dozen
 * properties, with the same names in React. hast-util-to-jsx-runtime would add 29 KB of script to every page.
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
