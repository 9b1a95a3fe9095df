import { readableEmail, readEmail } from "~/environment/email-address.server";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import { OperatorError } from "~db/operator-error";

/** The value of `--limit`: how many rows to list. */
export function readLimit(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new OperatorError(`--limit: found '${printableText(text)}', wanted a whole number from 1.`);
}

/** An address as the site stores it. */
export function requireEmail(address: string): string {
  const email = readEmail(address);
  if (email !== null) return email;
  throw new OperatorError(`'${printableText(address)}' is not an email address.`);
}

/** A stored address as it is printed. */
export const shownEmail = (email: string) => printableText(readableEmail(email));
