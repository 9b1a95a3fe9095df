import { Readable } from "node:stream";
import { createReadableStreamFromReadable, type LoaderFunctionArgs } from "@remix-run/node";
import { findBackup } from "~/features/backup/backup-stores.server";
import { requireAuthor } from "~/features/desk/author.server";
import { recordChange } from "~/features/desk/desk-log.server";
import { doneAt } from "~/http/page-answer.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { inTurn: false };

/** A kept backup, streamed from its file or bucket. */
export async function loader(args: LoaderFunctionArgs) {
  const author = await requireAuthor(args, "sensitive", "/desk/health");
  const { place = "", name = "" } = args.params;
  const found = await findBackup(Number(place), name);
  if (!found) return doneAt("/desk/health", "This backup is not kept any more.");
  await recordChange(author, `Downloaded the backup ${name}`);
  const content = Readable.from(found.store.read(name));
  return new Response(createReadableStreamFromReadable(content), {
    headers: {
      "Content-Type": "application/gzip",
      "Content-Length": String(found.backup.bytes),
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "private, no-store",
    },
  });
}
