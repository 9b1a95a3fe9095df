import type { LoaderFunctionArgs } from "@remix-run/node";
import { findPublicImage } from "~/features/library/served-media.server";
import { fileResponse } from "~/http/file-response.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/preview/media", embeddable: true };

/** An image of a public text. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const image = await findPublicImage(params.name ?? "", new Date());
  if (!image) throw errorResponse(404, "Not found.");
  return fileResponse(request, { ...image, cacheControl: "public, max-age=86400" });
}
