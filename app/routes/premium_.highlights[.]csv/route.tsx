import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireViewer } from "~/features/accounts/viewer.server";
import { waitForEdition } from "~/features/library/current-edition.server";
import { exportHighlights } from "~/features/library/highlights/export-highlights.server";
import { downloadParts } from "~/http/download.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/premium/highlights.csv" };

/** The viewer's own highlights as a file, even after the membership has ended. */
export async function loader(args: LoaderFunctionArgs) {
  const { user } = await requireViewer(args, "/");
  const parts = exportHighlights(user.id, await waitForEdition());
  return downloadParts(args.request, { name: "highlights.csv", type: "text/csv" }, parts);
}
