import { data, type LinksFunction, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { openBook } from "~/features/desk/edition/check-book.server";
import { previewText } from "~/features/desk/edition/previews.server";
import { UnshownPage } from "~/features/desk/edition/unshown-page";
import libraryStyles from "~/features/library/library.css";
import { PreviewPage } from "~/features/library/preview-page";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta = deskMeta("Preview");

export const handle: RouteHandle = { frame: "preview" };

/** A text as its readers will see it, in a frame on the page that edits it. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const file = new URL(args.request.url).searchParams.get("file") ?? "";
  const shown = await previewText(await openBook(), file);
  if (!shown) throw new Response(null, { status: 404 });
  return data(shown, { headers: { "Cache-Control": "private, no-store" } });
}

export default function BookPreview() {
  const shown = useLoaderData<typeof loader>();
  if ("problems" in shown) return <UnshownPage {...shown} />;
  return <PreviewPage {...shown} isForAuthor />;
}
