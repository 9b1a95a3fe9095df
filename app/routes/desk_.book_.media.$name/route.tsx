import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { findEditionMedia } from "~/features/desk/edition/edition-files.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { fileResponse } from "~/http/file-response.server";
import { errorResponse } from "~/http/request-body.server";

/** A picture or sound of the folder, for previews. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const media = await findEditionMedia(await openEdition(), args.params.name ?? "");
  if (!media) throw errorResponse(404, "Not found.");
  return fileResponse(args.request, { ...media, cacheControl: "private, no-store" });
}
