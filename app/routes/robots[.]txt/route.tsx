import { env } from "~/env.server";
import { textResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { cached: { searches: [""] } };

/**
 * Nothing is disallowed: pages that must not be indexed say so themselves (`noindex`), which a crawler can
 * only read if it may fetch them.
 */
export function loader() {
  const lines = ["User-agent: *", "Allow: /", "", `Sitemap: ${env().PUBLIC_URL}/sitemap.xml`, ""];
  return textResponse(lines.join("\n"), { "Cache-Control": "public, max-age=3600" });
}
