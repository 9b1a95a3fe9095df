import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { findEditionMedia } from "~/features/desk/edition/edition-files.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { COLORS_PATH } from "~/features/desk/edition/edition-paths";
import { previewedColors } from "~/features/desk/edition/edition-previews.server";
import { fileResponse } from "~/http/file-response.server";
import { found } from "~/http/page-answer.server";
import { textResponse } from "~/http/request-body.server";

/** A picture or sound of the folder, or the style sheet of the site's colors, for previews. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const { name = "" } = args.params;
  const edition = await openEdition();
  if (COLORS_PATH.endsWith(`/${name}`)) {
    return textResponse(await previewedColors(edition), { "Content-Type": "text/css" });
  }
  const media = found(await findEditionMedia(edition, name));
  return fileResponse(args.request, { ...media, cacheControl: "private, no-store" });
}
