import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireViewer } from "~/features/accounts/viewer.server";
import { waitForEdition } from "~/features/library/current-edition.server";
import { exportNotes } from "~/features/library/notes/export-notes.server";
import { downloadParts } from "~/http/download.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/premium/notes.md" };

/** The viewer's own notes as a file, even after the membership has ended. */
export async function loader(args: LoaderFunctionArgs) {
  const { user } = await requireViewer(args, "/");
  const parts = exportNotes(user.id, await waitForEdition());
  return downloadParts(args.request, { name: "notes.md", type: "text/markdown" }, parts);
}
