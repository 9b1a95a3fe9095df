import type { LoaderFunctionArgs } from "@remix-run/node";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { mayReadMetrics, registry } from "~/observability/metrics.server";

export const handle: RouteHandle = { metricsName: "/metrics", hostCheck: false, inTurn: false };

/** Prometheus metrics for holders of METRICS_TOKEN; 404 if it is not set. */
export async function loader({ request }: LoaderFunctionArgs) {
  const may = mayReadMetrics(request);
  if (may === null) throw errorResponse(404, "There is no such page.");
  if (!may) {
    throw errorResponse(401, "Send METRICS_TOKEN as a bearer token.", {
      "WWW-Authenticate": "Bearer",
    });
  }
  return new Response(await registry.metrics(), {
    headers: { "Content-Type": registry.contentType, "Cache-Control": "no-store" },
  });
}
