import {
  beginningOf,
  type MarkdownTree,
  markdownTree,
} from "~/features/markdown/markdown-tree.server";
import { utcDate } from "~/ui";
import { findPublishedIssue, findPublishedIssues, type ListedIssue } from "~db/queries/campaigns";
import { findNewsletterImage, findNewsletterImageSizes } from "~db/queries/newsletter-images";
import { imageNamesIn, isImageName } from "./issue-images";
import { IMAGES_PATH } from "./newsletter-paths";

/** An issue in the archive's list. */
export type IssueSummary = Omit<ListedIssue, "startAt"> & {
  /** An ISO 8601 instant. */
  publishedAt: string;
  /** The day in words, in UTC. */
  publishedOn: string;
};

/** An issue as shown to one reader. */
export type IssueView = IssueSummary & {
  text: MarkdownTree;
  /** False if the text is only the beginning, because the reader is not a member. */
  isWhole: boolean;
};

/** Fifty years of monthly issues. */
const MAX_LISTED = 600;

/**
 * Loads a published issue; null if there is none. Non-members get only the beginning of an issue for members. `base`
 * makes links and images absolute.
 */
export async function loadIssue(
  slug: string,
  { isMember, base }: { isMember: boolean; base?: string },
): Promise<IssueView | null> {
  // PostgreSQL rejects text that contains NUL
  const issue = slug.includes("\0") ? null : await findPublishedIssue(slug, new Date());
  if (!issue) return null;
  const whole = await issueTree(issue.markdown, base);
  const { tree, isWhole } =
    issue.premium && !isMember ? beginningOf(whole) : { tree: whole, isWhole: true };
  return { ...summaryOf(issue), text: tree, isWhole };
}

/** Lists published issues, newest first, up to `limit`. */
export async function listIssues(limit = MAX_LISTED): Promise<IssueSummary[]> {
  return (await findPublishedIssues(new Date(), limit)).map(summaryOf);
}

/** Parses an issue's stored text, with the images that the site serves. */
export async function issueTree(markdown: string, base?: string): Promise<MarkdownTree> {
  const sizes = await findNewsletterImageSizes(imageNamesIn(markdown));
  const images = new Map(
    sizes.map(({ name, width, height }) => {
      const address = IMAGES_PATH + name;
      return [address, { src: (base ?? "") + address, width, height }];
    }),
  );
  return markdownTree(markdown, { base, imageAt: (address) => images.get(address) });
}

function summaryOf({ slug, subject, previewText, premium, startAt }: ListedIssue): IssueSummary {
  return {
    slug,
    subject,
    previewText,
    premium,
    publishedAt: startAt.toISOString(),
    publishedOn: utcDate(startAt),
  };
}

/** Loads the image with this name; null if there is none. */
export async function loadIssueImage(name: string) {
  return isImageName(name) ? findNewsletterImage(name) : null;
}
