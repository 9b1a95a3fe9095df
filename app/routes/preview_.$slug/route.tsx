import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { findViewer } from "~/features/accounts/viewer.server";
import libraryStyles from "~/features/library/library.css";
import { previewPath } from "~/features/library/library-paths";
import { loadPreview } from "~/features/library/preview.server";
import { PreviewPage } from "~/features/library/preview-page";
import { redirectFormerSlug, requireEdition } from "~/features/library/require-reader.server";
import { chapterJsonLd } from "~/features/seo/json-ld";
import { notFoundMeta, pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => {
  if (!data) return notFoundMeta(matches);
  const { slug, title, summary: description } = data.preview;
  const path = previewPath(slug);
  return [
    ...pageMeta({ title: pageTitle(matches, title), description, path }, matches),
    ...chapterJsonLd(matches, data.preview),
  ];
};

export const handle: RouteHandle = {
  metricsName: "/preview",
  cached: { searches: [""], ignoresOtherSearches: true },
};

export async function loader(args: LoaderFunctionArgs) {
  const [edition, viewer] = await Promise.all([requireEdition(), findViewer(args)]);
  const entry = edition.find(args.params.slug ?? "", new Date());
  if (entry?.isPublic) redirectFormerSlug(args, entry, ({ slug }) => previewPath(slug));
  const preview = await loadPreview(edition, args.params.slug ?? "", {
    now: new Date(),
    isMember: viewer?.isSubscribed ?? false,
  });
  if (!preview) throw new Response(null, { status: 404 });
  return { preview };
}

export default function Preview() {
  return <PreviewPage {...useLoaderData<typeof loader>()} />;
}
