import type { AppLoadContext } from "@remix-run/node";
import { checkRateLimit } from "./rate-limits.server";
import { errorResponse } from "./request-body.server";

/**
 * The response to a request whose secret address leads nowhere: a 404, and a 429 to a network that has asked for too
 * many such addresses. Only those are counted, so that a valid address works in every network.
 */
export async function rejectGuess(context: AppLoadContext): Promise<Response> {
  const seconds = await checkRateLimit("podcast", { context });
  if (seconds === null) return errorResponse(404, "Not found.");
  return errorResponse(429, "Too many addresses that do not exist.", {
    "Retry-After": String(seconds),
  });
}
