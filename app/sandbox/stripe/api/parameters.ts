import { invalidParameter, missingParameter, unknownParameters } from "../engine/api-error";
import { isEmail } from "../engine/customers";
import type { Form, FormValue } from "../http/form";

/** An endpoint's parameter. `read` throws an ApiError for a value that Stripe rejects. */
type Parameter<Value, Required extends boolean = boolean> = {
  readonly required: Required;
  read(value: FormValue, name: string): Value;
};

export type Parameters = Record<string, Parameter<unknown>>;

/** Parameters in stripe-node's type for an endpoint. The local Stripe rejects Stripe's others. */
export type ParametersOf<Params> = Partial<Record<keyof Params, Parameter<unknown>>>;

/** The parsed values of a set of parameters; optional ones may be undefined. */
export type Read<Set extends Parameters> = {
  [Name in keyof Set]: Set[Name] extends Parameter<infer Value, infer Required>
    ? Required extends true
      ? Value
      : Value | undefined
    : never;
};

/**
 * Parses a form with an endpoint's parameters. Throws Stripe's `parameter_unknown` and `parameter_missing` errors,
 * with nested names in brackets.
 */
export function readParameters<Set extends Parameters>(
  set: Set,
  form: Form,
  inside = "",
): Read<Set> {
  const [unknown, ...more] = Object.keys(form)
    .filter((name) => !Object.hasOwn(set, name))
    .map((name) => nested(inside, name));
  if (unknown !== undefined) throw unknownParameters([unknown, ...more]);
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(set)) {
    const value = form[name];
    if (value !== undefined) values[name] = parameter.read(value, nested(inside, name));
  }
  const missing = Object.keys(set).find((name) => set[name]?.required && !(name in values));
  if (missing !== undefined) throw missingParameter(nested(inside, missing));
  return values as Read<Set>;
}

function nested(inside: string, name: string): string {
  return inside === "" ? name : `${inside}[${name}]`;
}

function optional<Value>(read: (value: FormValue, name: string) => Value): Parameter<Value, false> {
  return { required: false, read };
}

/** Makes a parameter required. */
export function required<Value>(parameter: Parameter<Value>): Parameter<Value, true> {
  return { required: true, read: parameter.read };
}

/** Text. Empty text is rejected, because at Stripe it unsets the parameter. */
export function text(maxLength = 5_000): Parameter<string, false> {
  return optional((value, name) => {
    if (typeof value !== "string") throw invalidParameter(name, "Invalid string");
    if (value === "") {
      throw invalidParameter(
        name,
        `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`,
        "parameter_invalid_empty",
      );
    }
    if (value.length > maxLength) {
      throw invalidParameter(
        name,
        `Invalid string: ${value.slice(0, 20)}...; must be at most ${maxLength} characters`,
      );
    }
    return value;
  });
}

/** The parameter, or null for empty text, which unsets it. */
export function emptyable<Value>(parameter: Parameter<Value>): Parameter<Value | null, false> {
  return optional((value, name) => (value === "" ? null : parameter.read(value, name)));
}

/** The parameter with an additional `check`, which may reject its value. */
export function checked<Value>(
  parameter: Parameter<Value>,
  check: (value: Value, name: string) => void,
): Parameter<Value, false> {
  return optional((value, name) => {
    const read = parameter.read(value, name);
    check(read, name);
    return read;
  });
}

/** An http(s) URL. Stripe's placeholder is allowed anywhere in a success URL. */
export function url(): Parameter<string, false> {
  return checked(text(), (address, name) => {
    if (/^https?:\/\//.test(address) && URL.canParse(address)) return;
    throw invalidParameter(name, "Not a valid URL", "url_invalid");
  });
}

/**
 * An email address. As at Stripe, its domain needs a top-level domain (docs.stripe.com/error-codes,
 * `email_invalid`).
 */
export function email(): Parameter<string, false> {
  return optional((value, name) => {
    const address = text(512).read(value, name);
    if (!isEmail(address)) {
      throw invalidParameter(name, `Invalid email address: ${address}`, "email_invalid");
    }
    return address;
  });
}

/** An integer from `min` to `max`, inclusive. */
export function integer(
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
): Parameter<number, false> {
  return optional((value, name) => {
    if (typeof value !== "string" || !/^-?\d{1,15}$/.test(value)) {
      const shown = typeof value === "string" ? value.slice(0, 20) : "a hash";
      throw invalidParameter(name, `Invalid integer: ${shown}`, "parameter_invalid_integer");
    }
    const number = Number(value);
    if (number > max || number < min) {
      const bound =
        number > max ? `less than or equal to ${max}` : `greater than or equal to ${min}`;
      throw invalidParameter(
        name,
        `This value must be ${bound} (it currently is ${number}).`,
        "parameter_invalid_integer",
      );
    }
    return number;
  });
}

/** `true` or `false`. */
export function boolean(): Parameter<boolean, false> {
  return optional((value, name) => {
    if (value === "true" || value === "false") return value === "true";
    throw invalidParameter(name, "Invalid boolean: must be either true or false");
  });
}

/** One of the given words. */
export function oneOf<const Word extends string>(...words: Word[]): Parameter<Word, false> {
  return optional((value, name) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) {
      throw invalidParameter(name, `Invalid ${name}: must be one of ${words.join(", ")}`);
    }
    return word;
  });
}

/** A nested set of parameters. */
export function hash<Set extends Parameters>(set: Set): Parameter<Read<Set>, false> {
  return optional((value, name) => {
    if (typeof value === "string") throw invalidParameter(name, "Invalid object");
    return readParameters(set, value, name);
  });
}

/** A list, in the order of its indices. */
export function list<Item>(item: Parameter<Item>, maxLength = 100): Parameter<Item[], false> {
  return optional((value, name) => {
    if (typeof value === "string" || !Object.keys(value).every((key) => /^\d+$/.test(key))) {
      throw invalidParameter(name, "Invalid array");
    }
    const keys = Object.keys(value).sort((a, b) => Number(a) - Number(b));
    if (keys.length > maxLength) {
      throw invalidParameter(name, `Array ${name} exceeded maximum ${maxLength} allowed elements.`);
    }
    return keys.map((key) => item.read(value[key] ?? "", nested(name, key)));
  });
}

/** A filter for Unix seconds, by value or by bounds: `created=5`, `created[gte]=5`. */
export function timestampFilter(): Parameter<(seconds: number) => boolean, false> {
  const bound = integer(0);
  const bounds = { gt: bound, gte: bound, lt: bound, lte: bound };
  return optional((value, name) => {
    if (typeof value === "string") {
      const exact = bound.read(value, name);
      return (seconds) => seconds === exact;
    }
    const { gt, gte, lt, lte } = readParameters(bounds, value, name);
    return (seconds) =>
      (gt === undefined || seconds > gt) &&
      (gte === undefined || seconds >= gte) &&
      (lt === undefined || seconds < lt) &&
      (lte === undefined || seconds <= lte);
  });
}

export type Metadata = Record<string, string>;

/** A metadata change: text sets a key, empty text removes it, null removes all keys. */
export type MetadataChange = Metadata | null;

/** Metadata within Stripe's limits: 50 keys of 40 characters, values of 500. */
export function metadata(): Parameter<MetadataChange, false> {
  return optional((value, name) => {
    if (value === "") return null;
    if (typeof value === "string") throw invalidParameter(name, "Invalid object");
    const change: Record<string, string> = {};
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry !== "string") {
        throw invalidParameter(nested(name, key), "Metadata values must be text.");
      }
      if (key.length > 40 || entry.length > 500) {
        throw invalidParameter(
          nested(name, key),
          "Metadata keys have at most 40 characters, their values at most 500.",
        );
      }
      Object.defineProperty(change, key, { value: entry, enumerable: true });
    }
    if (Object.keys(change).length > 50) {
      throw invalidParameter(name, "You can set at most 50 metadata keys.");
    }
    return change;
  });
}

/** Returns a copy of metadata with a change applied. */
export function changeMetadata(current: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return current;
  const kept = change === null ? [] : Object.entries({ ...current, ...change });
  return Object.fromEntries(kept.filter(([, value]) => value !== ""));
}
