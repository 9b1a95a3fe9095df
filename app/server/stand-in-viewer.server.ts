import { hash, randomBytes, randomInt } from "node:crypto";
import type { Viewer } from "~/features/accounts/viewer";
import type { Markers } from "./page-template.server";

/** The personal values of a viewer that pages show or contain. */
export type PersonalValues = {
  user: string;
  email: string;
  picture: string | null;
  /** When access ends, where no page shows it; ISO 8601. */
  periodEnd: string | null;
};

/** Values that stand for a viewer's, in the same places. */
export type StandIn = {
  values: PersonalValues;
  /** For the place of the page's data. */
  pageData: string;
  markers: Markers;
};

/** The first and the last character of the Basic Multilingual Plane's private use area, which no letter uses. */
const PRIVATE_USE = [0xe000, 0xf8ff] as const;

/** What is a viewer's own. Whatever else is in a page's data is told apart by the key of its template. */
export function personalValues({ user, profile }: Viewer): PersonalValues {
  // pages show a date only of a membership that ends or has a problem
  const isDateShown = profile !== null && (profile.trouble ?? profile.outlook.kind) !== "renews";
  return {
    user: user.id,
    email: user.email,
    picture: user.user_metadata.avatar_url,
    periodEnd: isDateShown ? null : (profile?.stripe_current_period_end ?? null),
  };
}

/**
 * Two viewers that do not exist. Nobody can guess their values, which have nothing in common, from the first
 * character to the last, nor in length: whatever a page derives from one of them differs between the two.
 */
export function twoStandIns(): [StandIn, StandIn] {
  const [from, to] = PRIVATE_USE;
  const initial = randomInt(from, to);
  return [standIn(initial, 8, "2031"), standIn(initial + 1, 100, "2047")];
}

function standIn(initialCode: number, randomLength: number, year: string): StandIn {
  const random = () => randomBytes(randomLength).toString("hex");
  // unlike a letter, this one is the same in upper and in lower case
  const initial = String.fromCharCode(initialCode);
  const values = {
    user: random(),
    email: `${initial}${random()}@${random()}`,
    picture: `/${random()}`,
    periodEnd: new Date(Date.parse(`${year}-01-01`) + randomInt(2 ** 34)).toISOString(),
  };
  const { user, email, picture } = values;
  const pageData = random();
  const data = JSON.stringify(pageData);
  return { values, pageData, markers: { user, email, initial, picture, nonce: random(), data } };
}

/** A loader's data holds something of which it cannot be told whether it is the same for two viewers. */
export class NotPlainData extends Error {}

/**
 * A copy of a loader's data in which each text that is one of the `from` values is the one of `to`. Properties that
 * are not enumerable, which are rendered without being sent as data, stay so. What is one object in several places stays
 * one, since Remix encodes it once. Throws NotPlainData for anything else than what JSON knows.
 */
export function replaceValues(data: unknown, from: PersonalValues, to: PersonalValues): unknown {
  return copy(data, textsOf(from, to), new Map());
}

/**
 * What tells apart the data of two viewers whose pages differ in more than their personal values, with whatever is
 * rendered without being sent. Throws NotPlainData like `replaceValues`.
 */
export function keyOfData(data: unknown, values: PersonalValues): string {
  return keyOf(data, textsOf(values, PLACEHOLDERS));
}

/** What stands for personal values in the key of a template; no other text's part of a key begins like these. */
const PLACEHOLDERS: PersonalValues = {
  user: "$user",
  email: "$email",
  picture: "$picture",
  periodEnd: "$periodEnd",
};

type Texts = ReadonlyMap<string, string>;

function textsOf(from: PersonalValues, to: PersonalValues): Texts {
  const texts = new Map<string, string>();
  for (const name of ["user", "email", "picture", "periodEnd"] as const) {
    const [before, after] = [from[name], to[name]];
    if (before !== null && after !== null) texts.set(before, after);
  }
  return texts;
}

/** Whether a value is one that JSON writes as it is, but for texts. Throws NotPlainData for what JSON does not know. */
function isBare(value: unknown): value is null | undefined | boolean | number {
  if (value === null || value === undefined) return true;
  if (typeof value === "boolean" || typeof value === "number") return true;
  if (Array.isArray(value)) return false;
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) {
    throw new NotPlainData();
  }
  return false;
}

/**
 * A text of its own for each value. It is made for every page that is filled in, so that texts are not quoted as in JSON
 * but have their lengths before them.
 */
function keyOf(value: unknown, placeholders: Texts): string {
  if (typeof value === "string") return placeholders.get(value) ?? keyOfText(value);
  if (isBare(value)) return String(value);
  let key = "";
  if (Array.isArray(value)) {
    for (const part of value) key += `${keyOf(part, placeholders)},`;
    return `[${key}]`;
  }
  for (const name of Object.getOwnPropertyNames(value)) {
    const part = (value as Record<string, unknown>)[name];
    key += `${name.length}:${name}=${keyOf(part, placeholders)},`;
  }
  return `{${key}}`;
}

function copy(value: unknown, texts: Texts, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (isBare(value)) return value;
  const known = copies.get(value);
  if (known) return known;
  if (Array.isArray(value)) {
    const copied = value.map((part) => copy(part, texts, copies));
    copies.set(value, copied);
    return copied;
  }
  const copied: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(value)) {
    const part = copy((value as Record<string, unknown>)[name], texts, copies);
    const enumerable = Object.prototype.propertyIsEnumerable.call(value, name);
    Object.defineProperty(copied, name, {
      value: part,
      enumerable,
      writable: true,
      configurable: true,
    });
  }
  copies.set(value, copied);
  return copied;
}

/** Length from which a text stands in a key by its digest. */
const LONG = 500;

/** Digests of long texts, most of which are those of an edition, by the text; some 30 KB each. */
const digests = new Map<string, string>();
const MAX_DIGESTS = 200;

function keyOfText(text: string): string {
  if (text.length < LONG) return `"${text.length}:${text}`;
  let digest = digests.get(text);
  if (digest === undefined) {
    digest = `#${hash("sha256", text, "base64")}`;
    if (digests.size >= MAX_DIGESTS) digests.clear();
    digests.set(text, digest);
  }
  return digest;
}
