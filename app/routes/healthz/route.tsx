import type { RouteHandle } from "~/http/route-handle";
/** Whether the process answers at all; says nothing of the database. */
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
