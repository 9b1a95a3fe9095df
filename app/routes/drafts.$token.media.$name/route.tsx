import type { LoaderFunctionArgs } from "@remix-run/node";
import { isPreviewToken } from "~/features/library/draft-preview.server";
import { findMemberMedia } from "~/features/library/served-media.server";
import { fileResponse } from "~/http/file-response.server";
import { rejectGuess } from "~/http/reject-guess.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/drafts/media" };

/** An image or sound of a text that its author sees before it is published. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  if (!(await isPreviewToken(params.token ?? "", new Date()))) throw await rejectGuess(context);
  const media = await findMemberMedia(params.name ?? "");
  if (!media) throw errorResponse(404, "Not found.");
  return fileResponse(request, { ...media, cacheControl: "private, no-cache" });
}
