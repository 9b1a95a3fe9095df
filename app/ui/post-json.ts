/** The result of a POST: the status and the JSON object of the response; status 0 if there was none. */
export type JsonAnswer = { ok: boolean; status: number; body: Record<string, unknown> };

/**
 * Posts a JSON body to a route of this site and reads its JSON response. Never throws: a network failure has
 * status 0, and a response that is not a JSON object has an empty body. With `keepalive` the request outlives its
 * page; browsers then fail bodies above 64 KB.
 */
export async function postJson(
  path: string,
  fields: Record<string, unknown>,
  keepalive = false,
): Promise<JsonAnswer> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(fields),
      keepalive,
    });
  } catch (error) {
    return { ok: false, status: 0, body: { error: (error as Error).message } };
  }
  const body: unknown = await response.json().catch(() => null);
  return {
    ok: response.ok,
    status: response.status,
    body: body !== null && typeof body === "object" ? (body as Record<string, unknown>) : {},
  };
}

/** The toast in a response, or `fallback` if there is none. */
export function toastOf<Toast>(answer: JsonAnswer, fallback: Toast): Toast {
  return (answer.body.toast as Toast | null | undefined) ?? fallback;
}
