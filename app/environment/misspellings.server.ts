import leven from "leven";
import { SETTING_NAMES } from "./schema.server";

/** Beginnings that nobody but this program's settings has, apart from what is listed as foreign. */
const OUR_PREFIXES =
  /^(STRIPE|SMTP|MAIL|NEWSLETTER|RATE_LIMIT|TRUST_PROXY|METRICS|SECURITY|HSTS)_|^SESSION_SECRET|^PAYMENT/;

/** What an orchestrator sets by itself for services that happen to be called so. */
const FOREIGN = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP)/;
const FOREIGN_VALUE = /^(tcp|udp):\/\//;

/** Shorter names, such as PORT, are one letter away from too much. */
const MIN_NAME_LENGTH = 8;

/** From this length on a name with two wrong letters is still no other word. */
const LONG_NAME = 12;

type Variables = Record<string, string>;

/**
 * Variables that are surely meant for a setting of this program and miss its name: by one letter, two
 * swapped ones, two in a long name, or by case. By the wrong name the right one. A near name beside the
 * right one is somebody else's.
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

/** Variables that begin like settings of this program and are none, such as SMTP_HOST. */
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
