import { Link } from "@remix-run/react";
import { ButtonLink } from "~/ui";
import type { IssueSummary } from "./issues.server";
import { FEED_PATH, issuePath } from "./newsletter-paths";

/** The archive page: all published issues, newest first. */
export function ArchivePage({ issues }: { issues: IssueSummary[] }) {
  return (
    <section className="frame issue">
      <p className="eyebrow">Newsletter</p>
      <h1 className="page-heading">Past letters</h1>
      {issues.length === 0 ? (
        <p className="lead">There aren’t any yet. Subscribe to get the first one.</p>
      ) : (
        <ol className="mt-10">
          {issues.map((issue) => (
            <ArchivedIssue key={issue.slug} {...issue} />
          ))}
        </ol>
      )}
      <p className="mt-10 flex flex-wrap items-center gap-x-6 gap-y-3">
        <ButtonLink to="/#newsletter">Get the next letter</ButtonLink>{" "}
        <a href={FEED_PATH} className="text-link">
          RSS feed
        </a>
      </p>
    </section>
  );
}

function ArchivedIssue({
  slug,
  subject,
  previewText,
  premium,
  publishedAt,
  publishedOn,
}: IssueSummary) {
  return (
    <li className="border-line border-t py-6">
      <p className="text-ink-soft text-sm">
        <time dateTime={publishedAt}>{publishedOn}</time>{" "}
        {premium && <span className="issue-audience">For members</span>}
      </p>
      <h2 className="mt-1 text-xl">
        <Link to={issuePath(slug)} className="title-link">
          {subject}
        </Link>
      </h2>
      <p className="mt-2 text-ink-soft">{previewText}</p>
    </li>
  );
}
