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
  const ready = await isReady();
  return new Response(
    ready ? "ready\n" : "the database does not answer, or the site is stopping\n",
    {
      status: ready ? 200 : 503,
      headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
    },
  );
}
