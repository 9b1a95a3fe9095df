import { checkCustomerFilter } from "../engine/customers";
import { update } from "../engine/events";
import { allOf, type Collection, noSuch, type ObjectOf, requireObject } from "../engine/objects";
import type { Sandbox } from "../engine/sandbox";
import type { EventType } from "../engine/wire";
import type { Form } from "../http/form";
import {
  changeMetadata,
  integer,
  list,
  type Metadata,
  type MetadataChange,
  type Parameters,
  type Read,
  readParameters,
  text,
} from "./parameters";

type Method = "GET" | "POST" | "DELETE";

/** A request to an endpoint, with parsed parameters. `id` is empty if the path has none. */
export type Call<Values> = { sandbox: Sandbox; path: string; id: string; values: Values };

/** One method and path of the API. */
export type Endpoint = {
  method: Method;
  /** The path, with `:id` for an object's id. */
  pattern: string;
  /** Checks a request's parameters, and returns the work to do. */
  prepare(sandbox: Sandbox, path: string, id: string, form: Form): () => object;
};

/** `expand[]`, accepted by every endpoint: the paths of references to replace with the objects. */
export const expand = list(text(200), 20);

const paging = { limit: integer(1, 100), starting_after: text(100), ending_before: text(100) };

const DEFAULT_LIMIT = 10;

/** Creates an endpoint from its parameters and handler. */
export function endpoint<Set extends Parameters>(
  method: Method,
  pattern: string,
  parameters: Set,
  handle: (call: Call<Read<Set>>) => object,
): Endpoint {
  const all = { ...parameters, expand };
  return {
    method,
    pattern,
    prepare: (sandbox, path, id, form) => {
      const values = readParameters(all, form) as Read<Set>;
      return () => handle({ sandbox, path, id, values });
    },
  };
}

/** GET of one object, transformed by `shown`. */
export function retrieve<Name extends Collection>(
  pattern: string,
  collection: Name,
  shown: (object: ObjectOf<Name>) => object = (object) => object,
): Endpoint {
  return endpoint("GET", pattern, {}, ({ sandbox, id }) =>
    shown(requireObject(sandbox, collection, id)),
  );
}

/** The parameters that a list accepts. */
type ListOptions<Item, Filters extends Parameters, More extends Parameters> = {
  /** Parameters compared with the object's property of the same name. */
  filters?: Filters;
  /** Parameters evaluated by `matches`. */
  parameters?: More;
  matches?: (object: Item, values: Read<More>, sandbox: Sandbox) => boolean;
  shown?: (object: Item) => object;
};

/**
 * GET of a page of a list, newest first. As at Stripe, `starting_after` and `ending_before` name the object that the
 * page follows or precedes.
 */
export function listOf<
  Name extends Collection,
  Filters extends Parameters = Record<never, never>,
  More extends Parameters = Record<never, never>,
>(
  pattern: string,
  collection: Name,
  options: ListOptions<ObjectOf<Name>, Filters, More> = {},
): Endpoint {
  const { matches = () => true, shown = (object: ObjectOf<Name>) => object } = options;
  const filters = options.filters ?? ({} as Filters);
  const parameters = { ...filters, ...options.parameters, ...paging };
  return endpoint("GET", pattern, parameters, (call) => {
    const { sandbox, path } = call;
    const values = call.values as Read<Filters> & Read<More> & Read<typeof paging>;
    const { limit = DEFAULT_LIMIT, starting_after, ending_before } = values;
    const wanted = Object.entries(values).filter(([name]) => Object.hasOwn(filters, name));
    checkCustomerFilter(sandbox, Object.fromEntries(wanted).customer);
    const isWanted = (object: ObjectOf<Name>) =>
      wanted.every(([name, value]) => hasValue(object, name, value)) &&
      matches(object, values, sandbox);
    const newestFirst = allOf(sandbox, collection).reverse();
    const position = (id: string, param: string) => {
      const index = newestFirst.findIndex((object) => object.id === id);
      if (index === -1) throw noSuch(collection, id, param);
      return index;
    };
    const found =
      ending_before === undefined
        ? newestFirst.slice(starting_after ? position(starting_after, "starting_after") + 1 : 0)
        : newestFirst.slice(0, position(ending_before, "ending_before"));
    const all = found.filter(isWanted);
    const data = ending_before === undefined ? all.slice(0, limit) : all.slice(-limit);
    return { object: "list", data: data.map(shown), has_more: all.length > limit, url: path };
  });
}

/** Whether a property equals a filter's value, is one of its values, or passes its test, such as a time range. */
function hasValue(object: object, name: string, wanted: unknown): boolean {
  const value = (object as Record<string, unknown>)[name];
  if (typeof wanted === "function") return wanted(value);
  return Array.isArray(wanted) ? wanted.includes(value) : value === wanted;
}

/**
 * POST to one object, which takes the given values; `check` may reject them. `type` is the update's event, null for
 * none.
 */
export function change<Name extends Collection, Set extends Parameters>(
  pattern: string,
  collection: Name,
  type: EventType | null,
  parameters: Set,
  check: (call: Call<Read<Set>>, object: ObjectOf<Name>) => void = () => undefined,
): Endpoint {
  return endpoint("POST", pattern, parameters, (call) => {
    const { sandbox, id, values } = call;
    const object = requireObject(sandbox, collection, id);
    check(call, object);
    changeObject(sandbox, object, type, values);
    return object;
  });
}

/** Applies a request's values to an object and emits the update's event, if any. */
export function changeObject(
  sandbox: Sandbox,
  object: object,
  type: EventType | null,
  values: object,
): void {
  const changed = merge(structuredClone(object), values);
  if (type === null) Object.assign(object, changed);
  // the caller ensures that the event type fits the object
  else update(sandbox, type as "product.updated", object as never, changed as never);
  sandbox.changed();
}

/** Sets an object's given properties, recursively for nested objects. Ignores properties it does not have. */
export function merge<Target extends object>(target: Target, given: object): Target {
  const current = target as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    const before = current[name];
    if (name === "metadata")
      current.metadata = changeMetadata((before ?? {}) as Metadata, value as MetadataChange);
    else if (isPlain(before) && isPlain(value)) merge(before, value);
    else if (name in current) current[name] = value;
  }
  return target;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the values of a new object that come from its creation parameters. */
export function given<Values extends object>(
  values: Values,
): Omit<Values, "metadata" | "expand"> & { metadata: Metadata } {
  const { expand: _, metadata, ...rest } = values as Record<string, unknown>;
  return { ...rest, metadata: changeMetadata({}, metadata as MetadataChange | undefined) } as never;
}
