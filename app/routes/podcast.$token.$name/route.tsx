import type { LoaderFunctionArgs } from "@remix-run/node";
import { isOpenFeed } from "~/features/library/podcast-address.server";
import { findMemberMedia } from "~/features/library/served-media.server";
import { fileResponse } from "~/http/file-response.server";
import { rejectGuess } from "~/http/reject-guess.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { REFERRER_POLICY } from "~/http/secret-link";

export const handle: RouteHandle = { metricsName: "/podcast", embeddable: true };

/** An image or a sound of a podcast feed, for apps without a session. They ask again each time, as browsers do. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  if (!(await isOpenFeed(params.token ?? "", new Date()))) {
    throw await rejectGuess(context);
  }
  const media = await findMemberMedia(params.name ?? "");
  if (!media) throw errorResponse(404, "Not found.");
  const response = await fileResponse(request, { ...media, cacheControl: "private, no-cache" });
  response.headers.set("X-Robots-Tag", "noindex");
  response.headers.set("Referrer-Policy", REFERRER_POLICY);
  return response;
}
