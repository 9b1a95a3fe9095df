import { createHash, randomBytes } from "node:crypto";
import { type Extension, Feed } from "feed";
import { renderToStaticMarkup } from "react-dom/server";
import { withoutControlCharacters } from "~/features/markdown/xml-characters";
import { siteFile } from "~/features/site/page-site";
import { pageSite } from "~/features/site/page-site.server";
import { findDocumentTexts, findImportTime } from "~db/queries/editions";
import type { Edition, EditionEntry, Sound } from "./edition";
import { labeledTitle } from "./entry-label";
import { CHAPTERS_PATH, documentPath, MEDIA_PATH } from "./library-paths";
import { podcastFeedPath, podcastMediaPath } from "./podcast-paths";

/** Maximum number of episodes that Apple Podcasts shows. */
const MAX_EPISODES = 300;

/** The square cover in `public/`. */
const COVER = "podcast-cover.jpg";

/** Publication date of undated texts, each a minute after the previous one. */
const UNDATED = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** One of Apple's categories and its subcategory. */
const CATEGORY = { main: "Education", within: "Self-Improvement" };

/** A podcast feed. Members' feeds differ only in their tokens. */
export type PodcastFeed = {
  /** RSS 2.0 with Apple Podcasts' tags. */
  xml: string;
  /** Identifies the content. */
  tag: string;
  lastModified: Date;
};

type Episode = EditionEntry & { sound: Sound; publishedAt: Date };

type Template = Omit<PodcastFeed, "xml"> & { key: string; xml: string };

/** Placeholder for the token in a template. It occurs in no text. */
const TOKEN = randomBytes(16).toString("hex");

let rendered: Template | null = null;

/**
 * Returns the podcast feed with this token: an edition's texts with a sound that are published at `now`, newest first.
 * `origin` is the site's. Rendered once for all members, until something is published.
 */
export async function podcastFeed(
  edition: Edition,
  { token, origin, now }: { token: string; origin: string; now: Date },
): Promise<PodcastFeed> {
  const episodes = episodesOf(edition, now);
  const key = [origin, edition.digest, ...episodes.map(({ slug }) => slug)].join(" ");
  if (rendered?.key !== key) rendered = { key, ...(await renderFeed(edition, episodes, origin)) };
  const { xml, tag, lastModified } = rendered;
  return { xml: xml.replaceAll(TOKEN, token), tag, lastModified };
}

function episodesOf(edition: Edition, now: Date): Episode[] {
  return [...edition.chapters(now), ...edition.extras(now)]
    .flatMap((entry, index) => {
      const publishedAt = entry.publishAt ?? new Date(UNDATED + index * MINUTE_MS);
      return entry.sound ? [{ ...entry, sound: entry.sound, publishedAt }] : [];
    })
    .sort((one, other) => other.publishedAt.getTime() - one.publishedAt.getTime())
    .slice(0, MAX_EPISODES);
}

async function renderFeed(
  edition: Edition,
  episodes: readonly Episode[],
  origin: string,
): Promise<Omit<Template, "key">> {
  const [importedAt, html] = await Promise.all([
    findImportTime(edition.digest),
    findDocumentTexts(
      edition.digest,
      episodes.map(({ slug }) => slug),
    ),
  ]);
  const times = [importedAt, ...episodes.map(({ publishAt }) => publishAt)];
  const lastModified = new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)));
  const { site } = edition;
  const cover = origin + siteFile(pageSite(site), COVER);
  const feed = new Feed({
    title: site.title,
    description: `All the audio for members of ${site.title}. This address is yours alone. Please keep it to yourself.`,
    link: origin + CHAPTERS_PATH,
    feedLinks: { rss: origin + podcastFeedPath(TOKEN) },
    image: cover,
    language: site.language,
    author: { name: site.author ?? site.title },
    generator: false,
    updated: lastModified,
    podcast: true,
  });
  for (const extension of channelTags(cover)) feed.addExtension(extension);
  for (const episode of episodes) {
    const { summary, slug, sound, publishedAt } = episode;
    const url = origin + documentPath(episode);
    feed.addItem({
      title: withoutControlCharacters(labeledTitle(episode)),
      guid: origin + documentPath({ ...episode, slug: episode.id }),
      link: url,
      date: publishedAt,
      description: withoutControlCharacters(renderToStaticMarkup(summary)),
      content: withoutControlCharacters(forPodcast(html.get(slug) ?? "", origin)),
      enclosure: {
        url: origin + podcastMediaPath(TOKEN, sound.name),
        type: sound.mediaType,
        length: sound.bytes,
      },
      extensions: episodeTags(sound),
    });
  }
  const xml = feed.rss2();
  const tag = createHash("sha256")
    .update(xml.replaceAll(TOKEN, ""))
    .digest("base64url")
    .slice(0, 22);
  return { xml, tag, lastModified };
}

/** Returns the tags that Apple requires of a feed (https://podcasters.apple.com/support/823-podcast-requirements). */
function channelTags(cover: string): Extension[] {
  return [
    { name: "itunes:image", objects: { _attributes: { href: cover } } },
    {
      name: "itunes:category",
      objects: {
        _attributes: { text: CATEGORY.main },
        "itunes:category": { _attributes: { text: CATEGORY.within } },
      },
    },
    { name: "itunes:explicit", objects: { _text: "false" } },
    { name: "itunes:type", objects: { _text: "episodic" } },
    // keeps the feed out of directories, even if someone submits it
    { name: "itunes:block", objects: { _text: "Yes" } },
  ];
}

function episodeTags({ duration }: Sound): Extension[] {
  const tags = [{ name: "itunes:explicit", objects: { _text: "false" } }];
  if (duration === null) return tags;
  return [...tags, { name: "itunes:duration", objects: { _text: String(Math.round(duration)) } }];
}

/**
 * Returns a text's HTML with absolute addresses. Images load through the feed's address, since podcast apps have no
 * session.
 */
function forPodcast(html: string, origin: string): string {
  return html
    .replaceAll(` src="${MEDIA_PATH}`, ` src="${origin}${podcastMediaPath(TOKEN, "")}`)
    .replaceAll(' href="/', ` href="${origin}/`);
}
