/**
 * Visits every node of a syntax tree (ESTree), each before those in it.
 *
 * @param {any} node or nodes
 * @param {(node: any, parent: any) => void} onNode the whole has no parent
 * @param {any} [parent]
 */
export function visitSyntaxTree(node, onNode, parent = null) {
  if (Array.isArray(node)) for (const child of node) visitSyntaxTree(child, onNode, parent);
  else if (typeof node === "object" && node !== null) {
    if (typeof node.type === "string") onNode(node, parent);
    for (const child of Object.values(node)) visitSyntaxTree(child, onNode, node);
  }
}
