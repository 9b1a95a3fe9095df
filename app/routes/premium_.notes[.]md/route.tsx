import { Readable } from "node:stream";
import { createReadableStreamFromReadable, type LoaderFunctionArgs } from "@remix-run/node";
import { requireViewer } from "~/features/accounts/viewer.server";
import { waitForEdition } from "~/features/library/current-edition.server";
import { exportNotes } from "~/features/library/notes/export-notes.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/premium/notes.md" };

/** The viewer's own notes as a file, even after the membership has ended. */
export async function loader(args: LoaderFunctionArgs) {
  const { user } = await requireViewer(args, "/");
  const parts = exportNotes(user.id, await waitForEdition());
  return new Response(createReadableStreamFromReadable(Readable.from(parts)), {
    headers: {
      "Content-Type": "text/markdown; charset=utf-8",
      "Content-Disposition": 'attachment; filename="notes.md"',
      "Cache-Control": "private, no-store",
    },
  });
}
