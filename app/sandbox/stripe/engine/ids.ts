import { randomInt } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new id in Stripe's format: a prefix such as `cus`, an underscore, random letters and digits. */
export function newId(prefix: string, length = 24): string {
  let random = "";
  for (let index = 0; index < length; index += 1) random += ALPHABET[randomInt(ALPHABET.length)];
  return `${prefix}_${random}`;
}
