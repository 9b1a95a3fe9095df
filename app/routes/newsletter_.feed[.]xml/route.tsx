import { env } from "~/env.server";
import { renderIssueFeed } from "~/features/newsletter/issue-feed.server";
import { textResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { cached: { searches: [""] } };

export async function loader() {
  return textResponse(await renderIssueFeed(env().PUBLIC_URL), {
    "Content-Type": "application/atom+xml; charset=utf-8",
    "Cache-Control": "public, max-age=600",
  });
}
