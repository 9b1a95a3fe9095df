import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { findBookMedia } from "~/features/desk/edition/book-media.server";
import { openBook } from "~/features/desk/edition/check-book.server";
import { fileResponse } from "~/http/file-response.server";
import { errorResponse } from "~/http/request-body.server";

/** A picture or sound of the folder, for previews. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const media = await findBookMedia(await openBook(), args.params.name ?? "");
  if (!media) throw errorResponse(404, "Not found.");
  return fileResponse(args.request, { ...media, cacheControl: "private, no-store" });
}
