/** Removes characters that XML 1.0 cannot represent, even escaped, such as control characters. */
export function withoutControlCharacters(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
}
