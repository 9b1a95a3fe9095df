import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { findViewer } from "~/features/accounts/viewer.server";
import { IssuePage } from "~/features/newsletter/issue-page";
import issueStyles from "~/features/newsletter/issue-page.css";
import { type IssueView, loadIssue } from "~/features/newsletter/issues.server";
import { issuePath } from "~/features/newsletter/newsletter-paths";
import { feedLink } from "~/features/seo/feed-link";
import { issueJsonLd } from "~/features/seo/json-ld";
import { notFoundMeta, pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: issueStyles }];

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => {
  if (!data) return notFoundMeta(matches);
  const { slug, subject, previewText: description } = data.issue;
  const path = issuePath(slug);
  return [
    ...pageMeta({ title: pageTitle(matches, subject), description, path }, matches),
    feedLink(matches),
    ...issueJsonLd(matches, data.issue),
  ];
};

export const handle: RouteHandle = {
  metricsName: "/newsletter",
  cached: { searches: [""], ignoresOtherSearches: true },
};

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await findViewer(args);
  const issue = await loadIssue(args.params.slug ?? "", {
    isMember: viewer?.isSubscribed ?? false,
  });
  if (!issue) throw new Response(null, { status: 404 });
  return { issue };
}

export default function Issue() {
  const { issue } = useLoaderData<{ issue: IssueView }>();
  return <IssuePage issue={issue} />;
}
