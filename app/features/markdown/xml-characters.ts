/** A text without the control characters that XML 1.0 does not have, however they are escaped. */
export function withoutControlCharacters(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
}
