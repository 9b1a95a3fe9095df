import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { loadPreviewOf } from "~/features/desk/edition/edition-previews.server";
import { colorStyles } from "~/features/site/site-colors";
import { SITE_FILE } from "~/features/site/site-file";
import { textResponse } from "~/http/request-body.server";

/** The style sheet of the colors in the draft of `site.yml`, for the preview. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const shown = await loadPreviewOf(await openEdition(), SITE_FILE);
  const styles = shown?.site && colorStyles(shown.site.colors);
  return textResponse(styles ?? "", { "Content-Type": "text/css; charset=utf-8" });
}
