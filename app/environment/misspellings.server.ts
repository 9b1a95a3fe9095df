import leven from "leven";
import { SETTING_NAMES } from "./schema.server";

/** Prefixes that only this program's settings use, apart from the foreign ones below. */
const OUR_PREFIXES =
  /^(STRIPE|SMTP|MAIL|NEWSLETTER|RATE_LIMIT|TRUST_PROXY|METRICS|SECURITY|HSTS)_|^SESSION_SECRET|^PAYMENT/;

/** Variables that orchestrators set for services that happen to have such names. */
const FOREIGN = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/;
const FOREIGN_VALUE = /^(tcp|udp):\/\//;

/** Shorter names, such as PORT, are one letter away from too many words. */
const MIN_NAME_LENGTH = 8;

/** From this length on, a name with two wrong letters is still unambiguous. */
const LONG_NAME = 12;

type Variables = Record<string, string>;

/**
 * Variables that are misspelled settings of this program, mapped to the correct name: one wrong letter, two
 * swapped ones, two in a long name, or wrong case. A similar name beside the correct one is assumed to belong
 * to another program.
 */
export function findMisspellings(variables: Variables): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of unknownNames(variables)) {
    const meant = SETTING_NAMES.find(
      (setting) => !(setting in variables) && isMisspelling(name, setting),
    );
    if (meant) found.set(name, meant);
  }
  return found;
}

/** Variables with the prefix of a setting that are not settings, such as SMTP_HOST. */
export function findUnknownSettings(variables: Variables): string[] {
  return unknownNames(variables).filter((name) => OUR_PREFIXES.test(name));
}

function unknownNames(variables: Variables): string[] {
  return Object.entries(variables)
    .filter(([name, value]) => !FOREIGN.test(name) && !FOREIGN_VALUE.test(value))
    .map(([name]) => name)
    .filter((name) => !SETTING_NAMES.includes(name));
}

function isMisspelling(name: string, setting: string): boolean {
  if (setting.length < MIN_NAME_LENGTH) return false;
  const written = name.toUpperCase();
  const distance = leven(written, setting, { maxDistance: 3 });
  if (distance > 2) return false;
  return distance < 2 || setting.length >= LONG_NAME || haveSameLetters(written, setting);
}

function haveSameLetters(first: string, second: string): boolean {
  return [...first].sort().join("") === [...second].sort().join("");
}
