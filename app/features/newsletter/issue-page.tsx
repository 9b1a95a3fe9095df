import { Link } from "@remix-run/react";
import { MarkdownContent } from "~/features/markdown/markdown-content";
import { ArrowLeftIcon, ButtonLink } from "~/ui";
import type { IssueView } from "./issues.server";
import { ARCHIVE_PATH } from "./newsletter-paths";

/** An issue's page. Non-members see only the beginning of an issue for members. */
export function IssuePage({ issue }: { issue: IssueView }) {
  return (
    <>
      <article className="frame issue">
        <Link to={ARCHIVE_PATH} className="back-link">
          <ArrowLeftIcon className="size-4" />
          All letters
        </Link>
        <header className="mt-8">
          <p className="eyebrow">
            <time dateTime={issue.publishedAt}>{issue.publishedOn}</time>{" "}
            {issue.premium && <span className="issue-audience">For members</span>}
          </p>
          <h1 className="page-heading">{issue.subject}</h1>
          <p className="lead">{issue.previewText}</p>
        </header>
        <div className="issue-text markdown-text">
          <MarkdownContent tree={issue.text} />
        </div>
        {!issue.isWhole && <MembersOnly />}
      </article>
      <section aria-labelledby="next-letter" className="bg-paper-deep py-[clamp(3rem,8vw,5rem)]">
        <div className="frame">
          <div className="issue-column">
            <h2 id="next-letter" className="text-2xl">
              Get the next letter
            </h2>
            <p className="mt-3 mb-8 text-ink-soft">
              One letter on the first Sunday of the month. You can unsubscribe anytime.
            </p>
            <ButtonLink to="/#newsletter">Join the newsletter</ButtonLink>
          </div>
        </div>
      </section>
    </>
  );
}

/** The end of the text for non-members. */
function MembersOnly() {
  return (
    <aside aria-labelledby="members-only" className="issue-end">
      <h2 id="members-only" className="text-xl">
        The rest of this letter is for members
      </h2>
      <p className="mt-3 text-ink-soft">
        Members can read every letter in full, and the whole book.
      </p>
      <p className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-3">
        <ButtonLink to="/#purchase">See the membership</ButtonLink>
        <Link to="/auth" className="text-link">
          Log in as a member
        </Link>
      </p>
    </aside>
  );
}
