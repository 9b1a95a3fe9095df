import type { Sandbox } from "../engine/sandbox";
import type { Form } from "../http/form";
import { type Parameters, type Read, readParameters } from "./parameters";

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
