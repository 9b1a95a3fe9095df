import type { LoaderFunctionArgs } from "@remix-run/node";
import { findSiteFile } from "~/features/library/site-files.server";
import { documentResponse } from "~/http/file-response.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/site-files", embeddable: true, inTurn: false };

/** An icon, cover, style sheet or manifest of the author's site. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const file = await findSiteFile(params.name ?? "");
  if (!file) throw errorResponse(404, "Not found.");
  return documentResponse(request, { ...file, cacheControl: "public, max-age=86400" });
}
