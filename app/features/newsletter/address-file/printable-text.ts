/** Text from outside without characters that a terminal would obey or not show. */
export function printableText(text: string): string {
  return text.replace(/\p{C}/gu, "\ufffd");
}
