import type { LoaderFunctionArgs } from "@remix-run/node";
import { findSiteFile } from "~/features/library/site-files.server";
import { documentResponse } from "~/http/file-response.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/site-files", embeddable: true, inTurn: false };

/** The icon of an author's site, which browsers request by themselves. */
export async function loader({ request }: LoaderFunctionArgs) {
  const icon = await findSiteFile("favicon.ico");
  if (!icon) throw errorResponse(404, "Not found.");
  return documentResponse(request, { ...icon, cacheControl: "public, max-age=86400" });
}
