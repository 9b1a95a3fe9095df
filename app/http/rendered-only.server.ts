import type { AppLoadContext } from "@remix-run/node";

/**
 * Adds data to a loader's result that the rendered page already contains, such as a long text. For a document the
 * properties are not enumerable: the server renders with them, but they are not serialized, and are missing when the
 * browser hydrates. For a client-side navigation they are ordinary properties.
 */
export function withRenderedOnly<Data extends object, Rendered extends object>(
  data: Data,
  rendered: Rendered,
  { isDocument = false }: AppLoadContext,
): Data & Partial<Rendered> {
  const result: Data & Partial<Rendered> = { ...data };
  for (const [name, value] of Object.entries(rendered)) {
    Object.defineProperty(result, name, { value, enumerable: !isDocument });
  }
  return result;
}
