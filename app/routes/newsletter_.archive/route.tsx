import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ArchivePage } from "~/features/newsletter/archive-page";
import issueStyles from "~/features/newsletter/issue-page.css";
import { listIssues } from "~/features/newsletter/issues.server";
import { ARCHIVE_PATH } from "~/features/newsletter/newsletter-paths";
import { feedLink } from "~/features/seo/feed-link";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: issueStyles }];

export const meta: MetaFunction = ({ matches }) => [
  ...pageMeta(
    {
      title: pageTitle(matches, "Past letters"),
      description: "Every letter sent to subscribers.",
      path: ARCHIVE_PATH,
    },
    matches,
  ),
  feedLink(matches),
];

export const handle: RouteHandle = {
  metricsName: "/newsletter",
  cached: { searches: [""], ignoresOtherSearches: true },
};

export async function loader() {
  return { issues: await listIssues() };
}

export default function Archive() {
  return <ArchivePage {...useLoaderData<typeof loader>()} />;
}
