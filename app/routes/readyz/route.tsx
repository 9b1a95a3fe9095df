import type { RouteHandle } from "~/http/route-handle";
import { isDatabaseReady } from "~/observability/readiness.server";

export const handle: RouteHandle = {
  metricsName: "/readyz",
  hostCheck: false,
  pageSlot: false,
  logLevel: "debug",
};

/** Readiness, for a container's health check: 200 while the database answers, else 503. */
export async function loader() {
  const ready = await isDatabaseReady();
  return new Response(ready ? "ready\n" : "the database does not answer\n", {
    status: ready ? 200 : 503,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}
