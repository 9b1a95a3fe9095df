import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { openBook } from "~/features/desk/edition/check-book.server";
import { previewSite } from "~/features/desk/edition/previews.server";
import { colorStyles } from "~/features/site/site-colors";
import { SITE_FILE } from "~/features/site/site-file";
import { textResponse } from "~/http/request-body.server";

/** The style sheet of the colors in the draft of `site.yml`, for the preview. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const shown = await previewSite(await openBook(), SITE_FILE);
  const styles = shown && "site" in shown ? colorStyles(shown.site.colors) : null;
  return textResponse(styles ?? "", { "Content-Type": "text/css; charset=utf-8" });
}
