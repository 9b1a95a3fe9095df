import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { isPreviewToken, loadDraft } from "~/features/library/draft-preview.server";
import libraryStyles from "~/features/library/library.css";
import { PreviewPage } from "~/features/library/preview-page";
import { requireEdition } from "~/features/library/require-reader.server";
import { notFoundMeta, unlistedMeta } from "~/features/seo/page-meta";
import { rejectGuess } from "~/http/reject-guess.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretLinkHeaders, secretLinkMeta } from "~/http/secret-link";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction<typeof loader> = ({ data, matches }) =>
  data
    ? [...unlistedMeta(matches, data.preview.title, data.preview.summary), secretLinkMeta]
    : notFoundMeta(matches);

export const headers = secretLinkHeaders;

export const handle: RouteHandle = { metricsName: "/drafts" };

/** A text for its author, published or not, at the address that `content preview` prints. */
export async function loader({ params, context }: LoaderFunctionArgs) {
  const { token = "", slug = "" } = params;
  if (!(await isPreviewToken(token, new Date()))) throw await rejectGuess(context);
  const preview = await loadDraft(await requireEdition(), { token, slug });
  if (!preview) throw new Response(null, { status: 404 });
  return { preview };
}

export default function Draft() {
  return <PreviewPage {...useLoaderData<typeof loader>()} isForAuthor />;
}
