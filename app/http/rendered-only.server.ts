import type { AppLoadContext } from "@remix-run/node";

/**
 * Adds to a loader's data what its page holds already once it is rendered, such as a long text. In the data of a
 * document the property is only there for the server's rendering: it is not enumerable, so it is not serialized
 * with the page's data, and missing when the browser hydrates. In the data of a client-side navigation it is a
 * property like any other.
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
