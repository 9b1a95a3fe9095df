import { createHash, randomBytes } from "node:crypto";
import { type Extension, Feed } from "feed";
import { renderToStaticMarkup } from "react-dom/server";
import { AUTHOR_NAME, BOOK_TITLE } from "~/book";
import { withoutControlCharacters } from "~/features/markdown/xml-characters";
import { findDocumentTexts, findImportTime } from "~db/queries/editions";
import type { Edition, EditionEntry, Sound } from "./edition";
import { CHAPTERS_PATH, documentPath, MEDIA_PATH } from "./library-paths";
import { podcastFeedPath, podcastMediaPath } from "./podcast-paths";

/** Apple Podcasts shows no more of a feed. */
const MAX_EPISODES = 300;

/** The square cover in `public/`. */
const COVER_PATH = "/podcast-cover.jpg";

/** Of texts without a date of publication; each is a minute later than the one before it. */
const UNDATED = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** One of Apple's categories, and one within it. */
const CATEGORY = { main: "Education", within: "Self-Improvement" };

/** A feed of members, which differ in their tokens only. */
export type PodcastFeed = {
  /** RSS 2.0 with the tags of Apple Podcasts. */
  xml: string;
  /** Names the content. */
  tag: string;
  lastModified: Date;
};

type Episode = EditionEntry & { sound: Sound; publishedAt: Date };

type Template = Omit<PodcastFeed, "xml"> & { key: string; xml: string };

/** Stands for the token in a template, and occurs in no text. */
const TOKEN = randomBytes(16).toString("hex");

let rendered: Template | null = null;

/**
 * The texts of an edition that have a sound and are published at `now`, the newest first, as the podcast feed with
 * this token. `origin` is the site's. Rendered once for all members, until something is published.
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
  const feed = new Feed({
    title: BOOK_TITLE,
    description: `Everything there is to hear for members of ${BOOK_TITLE}. This address is yours alone: please keep it to yourself.`,
    link: origin + CHAPTERS_PATH,
    feedLinks: { rss: origin + podcastFeedPath(TOKEN) },
    image: origin + COVER_PATH,
    language: "en",
    author: { name: AUTHOR_NAME },
    generator: false,
    updated: lastModified,
    podcast: true,
  });
  for (const extension of channelTags(origin)) feed.addExtension(extension);
  for (const episode of episodes) {
    const { title, summary, slug, sound, publishedAt } = episode;
    const url = origin + documentPath(episode);
    feed.addItem({
      title: withoutControlCharacters(episodeTitle(episode, title)),
      guid: url,
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

/** What Apple asks of a feed (https://podcasters.apple.com/support/823-podcast-requirements). */
function channelTags(origin: string): Extension[] {
  return [
    { name: "itunes:image", objects: { _attributes: { href: origin + COVER_PATH } } },
    {
      name: "itunes:category",
      objects: {
        _attributes: { text: CATEGORY.main },
        "itunes:category": { _attributes: { text: CATEGORY.within } },
      },
    },
    { name: "itunes:explicit", objects: { _text: "false" } },
    { name: "itunes:type", objects: { _text: "episodic" } },
    // listed in no directory, whoever submits the address to one
    { name: "itunes:block", objects: { _text: "Yes" } },
  ];
}

function episodeTags({ duration }: Sound): Extension[] {
  const tags = [{ name: "itunes:explicit", objects: { _text: "false" } }];
  if (duration === null) return tags;
  return [...tags, { name: "itunes:duration", objects: { _text: String(Math.round(duration)) } }];
}

function episodeTitle({ kind, position }: Episode, title: string): string {
  return kind === "chapter" ? `Chapter ${position}: ${title}` : title;
}

/**
 * A text's HTML with absolute addresses. Images are loaded through the feed's own address, since podcast apps have
 * no session.
 */
function forPodcast(html: string, origin: string): string {
  return html
    .replaceAll(` src="${MEDIA_PATH}`, ` src="${origin}${podcastMediaPath(TOKEN, "")}`)
    .replaceAll(' href="/', ` href="${origin}/`);
}
