import { hash, randomBytes, randomInt } from "node:crypto";
import type { Viewer } from "~/features/accounts/viewer";
import type { OwnValues } from "~/http/route-handle";
import { utcDate } from "~/ui/utc-date";
import type { Markers } from "./page-template.server";

/** The values of a viewer that their page shows or contains. */
export type PersonalValues = {
  user: string;
  email: string;
  /** Further texts that stand in the page as they are, each once: the picture, and the page's own (`OwnValues`). */
  texts: readonly string[];
  /** ISO 8601 instants, each once, that stand in the page as days, as they are, or both (`OwnValues`). */
  instants: readonly string[];
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

/** Years that are over, and years to come, for instants of stand-ins. */
const PAST = [1100, 1900] as const;
const FUTURE = [3000, 9000] as const;

const NOTHING: OwnValues = { texts: [], instants: [] };

/** What is a viewer's own. Whatever else is in a page's data is told apart by the key of its template. */
export function personalValues({ user, profile }: Viewer, own = NOTHING): PersonalValues {
  const { outlook, stripe_current_period_end: end } = profile ?? {};
  const endsAt = outlook && "at" in outlook ? outlook.at : null;
  return {
    user: user.id,
    email: user.email,
    texts: distinct([user.user_metadata.avatar_url, ...own.texts]),
    instants: distinct([end, endsAt, ...own.instants]),
  };
}

function distinct(texts: readonly (string | null | undefined)[]): string[] {
  const present = texts.filter((text) => text !== null && text !== undefined);
  return [...new Set(present)];
}

/** Personal values by the names of their places in a template of a page's data. */
export function namedValues({ user, email, texts, instants }: PersonalValues) {
  const named: Record<string, string> = { user, email };
  for (const [index, text] of texts.entries()) named[`text${index}`] = text;
  for (const [index, instant] of instants.entries()) named[`instant${index}`] = instant;
  return named;
}

/** What pages show in place of a value, by the name of the place: an address's first letter, an instant's day. */
export function derivedValue(
  { email, instants }: PersonalValues,
  name: string,
): string | undefined {
  if (name === INITIAL) return email.charAt(0).toUpperCase();
  const instant = name.startsWith(DAY) ? instants[Number(name.slice(DAY.length))] : undefined;
  return instant === undefined ? undefined : utcDate(new Date(instant));
}

const INITIAL = "initial";
const DAY = "day";

function derivedValues(values: PersonalValues): [string, string][] {
  const names = [INITIAL, ...values.instants.map((_, index) => DAY + index)];
  return names.map((name) => [name, derivedValue(values, name) ?? ""]);
}

/**
 * Two viewers that do not exist, with as many values as `values`. Nobody can guess theirs, which have nothing in common,
 * from the first character to the last, nor in length. All instants of one are over, those of the other are to come, in the
 * opposite order: what a page derives from a value, or decides by whether it is over, differs between the two.
 */
export function twoStandIns(values: PersonalValues): [StandIn, StandIn] {
  const [from, to] = PRIVATE_USE;
  const initial = randomInt(from, to);
  const ranks = ranksOf(values.instants);
  const last = ranks.length - 1;
  const [one, other] = [
    instantsWithin(PAST, ranks),
    instantsWithin(
      FUTURE,
      ranks.map((rank) => last - rank),
    ),
  ];
  const count = values.texts.length;
  return [standIn(initial, 8, count, one), standIn(initial + 1, 100, count, other)];
}

/** Of each instant, how many are earlier. */
function ranksOf(instants: readonly string[]): number[] {
  const times = instants.map((instant) => Date.parse(instant));
  return times.map((time) => times.filter((earlier) => earlier < time).length);
}

/** Random instants on as many days, in the order of their ranks. */
function instantsWithin([from, to]: readonly [number, number], ranks: readonly number[]) {
  const start = Date.UTC(from, 0);
  const part = (Date.UTC(to, 0) - start) / ranks.length;
  return ranks.map((rank) =>
    new Date(start + part * rank + (randomInt(2 ** 40) / 2 ** 40) * part * 0.9).toISOString(),
  );
}

function standIn(
  initialCode: number,
  randomLength: number,
  textCount: number,
  instants: string[],
): StandIn {
  const random = () => randomBytes(randomLength).toString("hex");
  // unlike a letter, this one is the same in upper and in lower case
  const initial = String.fromCharCode(initialCode);
  const values = {
    user: random(),
    email: `${initial}${random()}@${random()}`,
    texts: Array.from({ length: textCount }, () => `/${random()}`),
    instants,
  };
  const pageData = random();
  const markers = {
    ...namedValues(values),
    ...Object.fromEntries(derivedValues(values)),
    nonce: random(),
    data: JSON.stringify(pageData),
  };
  return { values, pageData, markers };
}

/** A loader's data holds something of which it cannot be told whether it is the same for two viewers. */
export class NotPlainData extends Error {}

/**
 * A copy of a loader's data in which each text that is one of the `from` values is the one of `to`. Properties that
 * are not enumerable, which are rendered without being sent as data, stay so. What is one object in several places stays
 * one, since Remix encodes it once. A frozen object that holds only frozen ones stays as it is: it counts as made
 * for all viewers, and none of its texts may be a viewer's own. Throws NotPlainData for anything that JSON does not know.
 */
export function replaceValues(data: unknown, from: PersonalValues, to: PersonalValues): unknown {
  const texts = new Map<string, string>();
  const others = namedValues(to);
  for (const [name, text] of Object.entries(namedValues(from))) {
    const other = others[name];
    if (other !== undefined && !texts.has(text)) texts.set(text, other);
  }
  return copy(data, texts, new Map());
}

/**
 * What tells apart the data of two viewers whose pages differ in more than their personal values, with whatever is
 * rendered without being sent. Throws NotPlainData like `replaceValues`.
 */
export function keyOfData(data: unknown, values: PersonalValues): string {
  const placeholders = new Map<string, string>();
  for (const [name, text] of Object.entries(namedValues(values))) {
    // no other text's part of a key begins like these
    if (!placeholders.has(text)) placeholders.set(text, `$${name}`);
  }
  return keyOf(data, placeholders);
}

type Texts = ReadonlyMap<string, string>;

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
  return keyOfShared(value) ?? keyOfOwn(value, placeholders);
}

function keyOfOwn(value: object, placeholders: Texts): string {
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

/** Keys of frozen objects that have been in a loader's data. */
const sharedKeys = new WeakMap<object, string>();

/** The key of an object that is frozen, with all that it holds; null for any other. */
function keyOfShared(value: object): string | null {
  const known = sharedKeys.get(value);
  if (known !== undefined) return known;
  if (!isFrozen(value)) return null;
  const key = `=${hash("sha256", keyOfOwn(value, new Map()), "base64")}`;
  sharedKeys.set(value, key);
  return key;
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (!Object.isFrozen(value)) return false;
  // one that is computed may be another each time
  const properties = Object.values(Object.getOwnPropertyDescriptors(value));
  return properties.every((property) => "value" in property && isFrozen(property.value));
}

function copy(value: unknown, texts: Texts, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (isBare(value) || keyOfShared(value) !== null) return value;
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
