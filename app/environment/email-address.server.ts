import { domainToASCII, domainToUnicode } from "node:url";
import { z } from "zod";

/** The longest address that mail can be sent to, in characters (RFC 5321, 4.5.3.1.3). */
const EMAIL_MAX_LENGTH = 254;

/** How much may surround an address and is stripped; longer input is rejected before. */
const EMAIL_MAX_PADDING = 100;

const INVALID_EMAIL = "Unable to validate email address: invalid format";

/** Spaces of all kinds, control characters, and what is drawn as nothing: zero width, bidi marks, soft hyphens. */
const UNSEEN = String.raw`[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]`;
const UNSEEN_INSIDE = new RegExp(UNSEEN, "u");
const UNSEEN_AT_ENDS = new RegExp(`^${UNSEEN}+|${UNSEEN}+$`, "gu");
const SEEN_BEFORE_AT = new RegExp(`(?!${UNSEEN})[^\\0-\\x7f](?=.*@)`, "gu");

/**
 * Validates an email address by the browsers' rule for `type=email` and returns its canonical form, in which it is
 * stored, looked up, counted and mailed: trimmed, in lower case, an international domain in ASCII (IDNA). Browsers send
 * such a domain in either form. The part before the @ has to be ASCII: mail servers need not accept any other (RFC
 * 6531).
 */
export const emailSchema = z
  .string("Please enter your email address.")
  .max(EMAIL_MAX_LENGTH + EMAIL_MAX_PADDING, { error: INVALID_EMAIL, abort: true })
  .transform(canonicalForm)
  .pipe(
    z
      .string()
      .refine((address) => !UNSEEN_INSIDE.test(address), {
        error: "There’s a space or an invisible character in the email address.",
        abort: true,
      })
      .refine((address) => !/[^\0-\x7f].*@/s.test(address), {
        error: "Before the @, an email address can only have letters without accents.",
        abort: true,
      })
      .max(EMAIL_MAX_LENGTH, { error: INVALID_EMAIL, abort: true })
      .regex(z.regexes.html5Email, INVALID_EMAIL),
  );

/** Returns a text's address in canonical form; null if `emailSchema` rejects it. */
export function readEmail(text: unknown): string | null {
  return emailSchema.safeParse(text).data ?? null;
}

/**
 * As `readEmail`, for the addresses in settings, which are the operator's own: before the @ they may have any letters,
 * since mail servers with SMTPUTF8 (RFC 6531) send from such an address and to it.
 */
export function readOwnEmail(text: string): string | null {
  const address = canonicalForm(text);
  return readEmail(address.replace(SEEN_BEFORE_AT, "x")) === null ? null : address;
}

function canonicalForm(typed: string): string {
  return withAsciiDomain(typed.replace(UNSEEN_AT_ENDS, "").normalize("NFC"));
}

/** Returns a canonical address as people write it, with an international domain in its own script. */
export function readableEmail(address: string): string {
  const [name, domain = ""] = address.split("@");
  const readable = `${name}@${domainToUnicode(domain)}`;
  // a made-up ASCII form may stand for nothing, or for what is never accepted
  return readEmail(readable) === address ? readable : address;
}

/** Puts an international domain, or a part of one, into its ASCII form, and everything into lower case. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  // `domainToASCII` would cut off what follows a slash, and the like
  const isInternational = /[^\0-\x7f]/.test(domain) && !/[\0-,/:-@[-`{-\x7f]/.test(domain);
  const ascii = isInternational && !UNSEEN_INSIDE.test(domain) && domainToASCII(domain);
  return (address.slice(0, at) + (ascii || domain)).toLowerCase();
}
