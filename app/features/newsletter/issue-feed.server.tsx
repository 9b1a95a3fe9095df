import { Feed } from "feed";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MarkdownContent } from "~/features/markdown/markdown-content";
import { withoutControlCharacters } from "~/features/markdown/xml-characters";
import { currentSite } from "~/features/site/current-site.server";
import { listIssues, loadIssue } from "./issues.server";
import { ARCHIVE_PATH, FEED_PATH, issuePath, lettersFrom } from "./newsletter-paths";

/** Maximum issues in the feed. Feed readers keep older ones. */
const FEED_ISSUES = 20;

/** Renders the newest issues as Atom (RFC 4287), cutting issues for members. `origin` is the site's. */
export async function renderIssueFeed(origin: string): Promise<string> {
  const summaries = await listIssues(FEED_ISSUES);
  const site = currentSite();
  const newest = summaries[0]?.publishedAt;
  const feed = new Feed({
    id: origin + FEED_PATH,
    title: lettersFrom(site.title),
    ...(site.subtitle && { description: site.subtitle }),
    link: origin + ARCHIVE_PATH,
    feedLinks: { atom: origin + FEED_PATH },
    language: site.language,
    ...(site.author && { author: { name: site.author } }),
    generator: false,
    // the time of rendering would change every copy
    updated: new Date(newest ?? 0),
  });
  for (const { slug } of summaries) {
    const issue = await loadIssue(slug, { isMember: false, base: origin });
    if (!issue) continue;
    const url = origin + issuePath(slug);
    feed.addItem({
      id: url,
      link: url,
      title: htmlOf(issue.subject),
      description: htmlOf(issue.previewText),
      date: new Date(issue.publishedAt),
      published: new Date(issue.publishedAt),
      content: htmlOf(
        <>
          <MarkdownContent tree={issue.text} />
          {!issue.isWhole && (
            <p>
              <a href={url}>The rest of this letter is for members.</a>
            </p>
          )}
        </>,
      ),
    });
  }
  return feed.atom1();
}

/** Renders HTML, which is the type the package declares for all texts. */
function htmlOf(content: ReactNode): string {
  return withoutControlCharacters(renderToStaticMarkup(content));
}
