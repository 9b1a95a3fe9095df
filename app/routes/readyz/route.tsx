import { errorResponse, textResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { isReady } from "~/observability/readiness.server";

export const handle: RouteHandle = {
  metricsName: "/readyz",
  hostCheck: false,
  inTurn: false,
  logLevel: "debug",
};

/** Readiness, for a container's health check: 200 while the database answers and the site is not stopping, else 503. */
export async function loader() {
  if (await isReady()) return textResponse("ready\n");
  return errorResponse(503, "the database does not answer, or the site is stopping\n");
}
