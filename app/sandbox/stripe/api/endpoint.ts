import type { Sandbox } from "../engine/sandbox";
import type { Form } from "../http/form";
import { type Parameters, type Read, readParameters } from "./parameters";

export type Method = "GET" | "POST" | "DELETE";

/** One request to an endpoint, with its parameters read. `id` is empty if the path has none. */
export type Call<Values> = { sandbox: Sandbox; path: string; id: string; values: Values };

/** One method and path of the API. */
export type Endpoint = {
  method: Method;
  /** The path, with `:id` in the place of an object's id. */
  pattern: string;
  handle(sandbox: Sandbox, path: string, id: string, form: Form): object;
};

/** An endpoint from its parameters and the function that does its work. */
export function endpoint<Set extends Parameters>(
  method: Method,
  pattern: string,
  parameters: Set,
  handle: (call: Call<Read<Set>>) => object,
): Endpoint {
  return {
    method,
    pattern,
    handle: (sandbox, path, id, form) =>
      handle({ sandbox, path, id, values: readParameters(parameters, form) }),
  };
}
