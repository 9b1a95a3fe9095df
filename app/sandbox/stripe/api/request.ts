import type { IncomingMessage } from "node:http";
import { ApiError } from "../engine/api-error";
import { mediaType, readBody } from "../http/exchange";
import { decodeForm, type Form } from "../http/form";

const BODY_LIMIT = 1_000_000;

/** Returns the key in the Authorization header. Throws Stripe's 401 unless it is valid. */
export function authenticate(
  isValid: (key: string) => boolean,
  header: string | undefined,
): string {
  const [scheme = "", credentials = ""] = (header ?? "").split(" ");
  const key = /^basic$/i.test(scheme)
    ? (Buffer.from(credentials, "base64").toString("utf8").split(":")[0] ?? "")
    : /^bearer$/i.test(scheme)
      ? credentials
      : "";
  if (isValid(key)) return key;
  throw new ApiError(401, {
    type: "invalid_request_error",
    message:
      key === ""
        ? "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
        : `Invalid API Key provided: ${key.slice(0, 8)}****`,
  });
}

/** Parses a request's parameters from query and body. Throws Stripe's 400 for a body that is not form-encoded. */
export async function readForm(request: IncomingMessage, query: string): Promise<Form> {
  const body = await readBody(request, BODY_LIMIT);
  if (body !== "" && mediaType(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError(400, {
      type: "invalid_request_error",
      message:
        "Invalid request (check that your POST content type is application/x-www-form-urlencoded).",
    });
  }
  return decodeForm([query, body].filter((part) => part !== "").join("&"));
}

/** Returns a request's idempotency key; null for none. */
export function idempotencyKey(request: IncomingMessage): string | null {
  const header = request.headers["idempotency-key"];
  return typeof header === "string" && header !== "" ? header : null;
}
