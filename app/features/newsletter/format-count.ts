/** Formats a number with separators and, with a noun, its unit: `1 mail`, `2,000 mails`. */
export function formatCount(count: number, noun?: string): string {
  const number = count.toLocaleString("en");
  if (noun === undefined) return number;
  return `${number} ${noun}${count === 1 ? "" : "s"}`;
}
