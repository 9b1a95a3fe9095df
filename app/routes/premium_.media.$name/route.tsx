import type { LoaderFunctionArgs } from "@remix-run/node";
import { findSession, findViewer } from "~/features/accounts/viewer.server";
import { findMemberMedia } from "~/features/library/served-media.server";
import { fileResponse } from "~/http/file-response.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/premium/media" };

/**
 * An image or a sound, for members. Everybody else gets the 404 of a name that does not exist. Browsers ask again
 * each time, because access can end, and get a 304.
 */
export async function loader(args: LoaderFunctionArgs) {
  if ((await findSession(args)) === "unknown") {
    throw errorResponse(503, "Please try again later.", { "Retry-After": "5" });
  }
  const viewer = await findViewer(args);
  const media = viewer?.isSubscribed ? await findMemberMedia(args.params.name ?? "") : null;
  if (!media) throw errorResponse(404, "Not found.");
  return fileResponse(args.request, { ...media, cacheControl: "private, no-cache" });
}
