import type { RouteHandle } from "~/http/route-handle";
/** Liveness: whether the process answers; does not check the database. */
export const handle: RouteHandle = {
  metricsName: "/healthz",
  hostCheck: false,
  pageSlot: false,
  logLevel: "debug",
};

export const loader = () =>
  new Response("ok\n", {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
