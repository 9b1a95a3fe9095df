/** A number for the operator, with separators; with a noun, how many of it: `1 mail`, `2,000 mails`. */
export function formatCount(count: number, noun?: string): string {
  const number = count.toLocaleString("en");
  if (noun === undefined) return number;
  return `${number} ${noun}${count === 1 ? "" : "s"}`;
}
