import type { Form } from "./form";
import { type Parameters, type Read, readParameters } from "./parameters";
import type { Sandbox } from "./sandbox";

export type Method = "GET" | "POST" | "DELETE";

/** One request to an endpoint, its parameters read. `id` is empty where the path has none. */
export type Call<Values> = { sandbox: Sandbox; path: string; id: string; values: Values };

/** One method and path of the API. */
export type Endpoint = {
  method: Method;
  /** The path, with `:id` in the place of an object's id. */
  pattern: string;
  answer(sandbox: Sandbox, path: string, id: string, form: Form): object;
};

/** Ties an endpoint's parameters to the function that answers it. */
export function endpoint<Set extends Parameters>(
  method: Method,
  pattern: string,
  parameters: Set,
  answer: (call: Call<Read<Set>>) => object,
): Endpoint {
  return {
    method,
    pattern,
    answer: (sandbox, path, id, form) =>
      answer({ sandbox, path, id, values: readParameters(parameters, form) }),
  };
}

/** The id in a path that a pattern describes: `""` when it has none, null when the path is another. */
export function matchPath(pattern: string, path: string): string | null {
  const wanted = pattern.split("/");
  const found = path.split("/");
  if (wanted.length !== found.length) return null;
  let id = "";
  for (const [index, part] of wanted.entries()) {
    const given = found[index] ?? "";
    if (part === ":id" && given !== "") id = decodeSegment(given);
    else if (part !== given) return null;
  }
  return id;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
