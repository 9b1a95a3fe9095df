/** Replaces characters in external text that a terminal would interpret or not show. */
export function printableText(text: string): string {
  return text.replace(/\p{C}/gu, "\ufffd");
}
