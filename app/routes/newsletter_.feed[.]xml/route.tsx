import { env } from "~/env.server";
import { renderIssueFeed } from "~/features/newsletter/issue-feed.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { cached: { searches: [""] } };

export async function loader() {
  return new Response(await renderIssueFeed(env().PUBLIC_URL), {
    headers: {
      "Content-Type": "application/atom+xml; charset=utf-8",
      "Cache-Control": "public, max-age=600",
    },
  });
}
