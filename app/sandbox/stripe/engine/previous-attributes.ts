type Json = Record<string, unknown>;

/**
 * The `previous_attributes` of an update event: the former values of what has changed, only the changed
 * keys of nested objects, lists as a whole. Null if nothing has changed.
 */
export function previousAttributes(before: object, after: object): object | null {
  const changes: Json = {};
  const old = before as Json;
  const current = after as Json;
  for (const key of new Set([...Object.keys(old), ...Object.keys(current)])) {
    const [was, is] = [old[key], current[key]];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    const inner = isPlain(was) && isPlain(is) ? previousAttributes(was, is) : null;
    changes[key] = inner ?? was ?? null;
  }
  return Object.keys(changes).length === 0 ? null : changes;
}

function isPlain(value: unknown): value is Json {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    (value as Json).object !== "list"
  );
}
