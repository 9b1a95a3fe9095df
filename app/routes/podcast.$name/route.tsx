import type { LoaderFunctionArgs } from "@remix-run/node";
import { env } from "~/env.server";
import { isOpenFeed } from "~/features/library/podcast-address.server";
import { podcastFeed } from "~/features/library/podcast-feed.server";
import { tokenOfFeed } from "~/features/library/podcast-paths";
import { requireEdition } from "~/features/library/require-reader.server";
import { documentResponse } from "~/http/file-response.server";
import { rejectGuess } from "~/http/reject-guess.server";
import type { RouteHandle } from "~/http/route-handle";
import { REFERRER_POLICY } from "~/http/secret-link";

export const handle: RouteHandle = { metricsName: "/podcast" };

/** The podcast feed of the member with this token. Any other token is rejected alike, whatever the reason. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const now = new Date();
  const token = tokenOfFeed(params.name ?? "");
  if (token === null || !(await isOpenFeed(token, now))) {
    throw await rejectGuess(context);
  }
  const { PUBLIC_URL: origin } = env();
  const { xml, ...feed } = await podcastFeed(await requireEdition(), { token, origin, now });
  const response = await documentResponse(request, {
    ...feed,
    content: xml,
    mediaType: "application/rss+xml; charset=utf-8",
    cacheControl: "private, max-age=300",
  });
  response.headers.set("X-Robots-Tag", "noindex");
  response.headers.set("Referrer-Policy", REFERRER_POLICY);
  return response;
}
