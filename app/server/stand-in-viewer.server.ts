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
 * are not enumerable, which are rendered without being sent as data, stay so. Throws NotPlainData for anything else
 * than what JSON knows.
 */
export function replaceValues(data: unknown, from: PersonalValues, to: PersonalValues): unknown {
  return copy(data, textsOf(from, to), { showsAll: false, copies: new Map() });
}

/**
 * What tells apart the data of two viewers whose pages differ in more than their personal values, with whatever is
 * rendered without being sent. Throws NotPlainData like `replaceValues`.
 */
export function keyOfData(data: unknown, values: PersonalValues): string {
  return JSON.stringify(
    copy(data, textsOf(values, PLACEHOLDERS), { showsAll: true, copies: null }),
  );
}

/** What stands for personal values in the key of a template. */
const PLACEHOLDERS: PersonalValues = {
  user: "\0user",
  email: "\0email",
  picture: "\0picture",
  periodEnd: "\0periodEnd",
};

function textsOf(from: PersonalValues, to: PersonalValues): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const name of ["user", "email", "picture", "periodEnd"] as const) {
    const [before, after] = [from[name], to[name]];
    if (before !== null && after !== null) texts.set(before, after);
  }
  return texts;
}

/** With `copies`, what is one object in several places stays one, as Remix encodes it. */
type CopyOptions = { showsAll: boolean; copies: Map<object, unknown> | null };

function copy(value: unknown, texts: ReadonlyMap<string, string>, options: CopyOptions): unknown {
  if (typeof value === "string") {
    return texts.get(value) ?? (options.showsAll ? shortened(value) : value);
  }
  if (value === null || value === undefined) return value;
  if (typeof value === "boolean" || typeof value === "number") return value;
  const known = typeof value === "object" && options.copies?.get(value);
  if (known) return known;
  if (Array.isArray(value)) {
    const copied = value.map((part) => copy(part, texts, options));
    options.copies?.set(value, copied);
    return copied;
  }
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) {
    throw new NotPlainData();
  }
  const copied: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(value)) {
    const part = copy((value as Record<string, unknown>)[name], texts, options);
    if (options.showsAll || Object.prototype.propertyIsEnumerable.call(value, name)) {
      copied[name] = part;
    } else Object.defineProperty(copied, name, { value: part, enumerable: false });
  }
  options.copies?.set(value, copied);
  return copied;
}

/** Length from which a text stands in a key by its digest. */
const LONG = 500;

/** Digests of long texts, most of which are those of an edition, by the text; some 30 KB each. */
const digests = new Map<string, string>();
const MAX_DIGESTS = 200;

/** A short text that stands for no other one. */
function shortened(text: string): string {
  if (text.length < LONG) return text;
  let digest = digests.get(text);
  if (digest === undefined) {
    digest = `\0sha256:${hash("sha256", text, "base64")}`;
    if (digests.size >= MAX_DIGESTS) digests.clear();
    digests.set(text, digest);
  }
  return digest;
}
