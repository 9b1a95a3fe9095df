import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { BOOK_TITLE } from "~/book";
import { contentsPage } from "~/features/library/contents";
import { ContentsPage } from "~/features/library/contents-page";
import libraryStyles from "~/features/library/library.css";
import { CHAPTERS_PATH } from "~/features/library/library-paths";
import { requireReader } from "~/features/library/require-reader.server";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction = ({ matches }) =>
  pageMeta(
    {
      title: pageTitle("Contents"),
      description: `All chapters of ${BOOK_TITLE}, and what comes with them.`,
      path: CHAPTERS_PATH,
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = { metricsName: "/premium/chapters" };

export async function loader(args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) return null;
  const page = new URL(args.request.url).searchParams.get("page") ?? "1";
  const contents = contentsPage(reader.edition, Number(page), new Date());
  if (!contents) throw new Response(null, { status: 404 });
  return { contents };
}

export default function Contents() {
  const loaded = useLoaderData<typeof loader>();
  return loaded && <ContentsPage {...loaded} />;
}
