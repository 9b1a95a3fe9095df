import { env } from "~/env.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { cached: { searches: [""] } };

/**
 * Nothing is disallowed: the pages that must stay out of an index say so themselves (`noindex`), and a
 * crawler has to be let in to read it.
 */
export function loader() {
  const lines = ["User-agent: *", "Allow: /", "", `Sitemap: ${env().PUBLIC_URL}/sitemap.xml`, ""];
  return new Response(lines.join("\n"), {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
    },
  });
}
