import type { Element, ElementContent } from "xast";
import { type Child, x } from "xastscript";
import { holderOf, type Site } from "~/features/site/site";
import type { EditionEntry } from "../edition";
import { labelAbove, labeledTitle } from "../entry-label";
import { documentPath } from "../library-paths";
import {
  type BookContents,
  COLOPHON_FILE,
  COVER_FILE,
  EXTRAS_FILE,
  STYLE_FILE,
  textFile,
} from "./book-contents";
import { xmlDocument } from "./xml";

const dateFormat = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** The language of the pages with the program's own words. */
const ENGLISH = { language: "en", dir: "ltr" } as const;

const IN_ENGLISH = { lang: "en", "xml:lang": "en", dir: "ltr" };

type Language = Pick<Site, "language" | "dir">;

function page({ language, dir }: Language, title: string, name: string, children: Child): string {
  const root = x(
    "html",
    {
      xmlns: "http://www.w3.org/1999/xhtml",
      "xmlns:epub": "http://www.idpf.org/2007/ops",
      lang: language,
      "xml:lang": language,
      ...(dir === "rtl" && { dir }),
    },
    x("head", [
      x("title", title),
      x("link", { rel: "stylesheet", type: "text/css", href: STYLE_FILE }),
    ]),
    x("body", { class: name }, children),
  );
  return xmlDocument(root as Element, { isPage: true });
}

const ornament = () => x("hr", { class: "ornament" });

/** Returns the cover page, with its image. */
export function coverPage({ site }: BookContents): string {
  const names = [site.title, site.author].filter(Boolean).join(", by ");
  return page(
    site,
    "Cover",
    "cover",
    x("section", { "epub:type": "cover" }, [x("img", { src: COVER_FILE, alt: names })]),
  );
}

/** Returns the title page. */
export function titlePage({ siteUrl, site }: BookContents): string {
  return page(
    site,
    site.title,
    "title-page",
    x("section", { "epub:type": "titlepage" }, [
      ...(site.author ? [x("p", { class: "author" }, site.author)] : []),
      x("h1", site.title),
      ornament(),
      ...(site.subtitle ? [x("p", { class: "subtitle" }, site.subtitle)] : []),
      x("p", { class: "imprint" }, x("a", { href: siteUrl }, new URL(siteUrl).host)),
    ]),
  );
}

/** Returns the page that begins a part, or the extras. */
export function partPage({ title, file }: { title: string; file: string }, site: Site): string {
  return page(
    file === EXTRAS_FILE ? ENGLISH : site,
    title,
    "part-page",
    x("section", { "epub:type": "part", role: "doc-part", "aria-label": title }, [
      ornament(),
      x("h1", title),
    ]),
  );
}

/** Returns the page of a chapter or extra, with its text. */
export function textPage(entry: EditionEntry, text: ElementContent[], siteUrl: string): string {
  const isChapter = entry.kind === "chapter";
  const label = labelAbove(entry);
  // the author's own label is in the author's language
  const isOurs = entry.label === null && entry.language !== "en";
  return page(
    entry,
    entry.title,
    entry.kind,
    x(
      "section",
      isChapter
        ? { "epub:type": "chapter", role: "doc-chapter", "aria-labelledby": "title" }
        : { "epub:type": "division", "aria-labelledby": "title" },
      [
        x("header", [
          ...(label ? [x("p", { class: "label", ...(isOurs && IN_ENGLISH) }, label)] : []),
          x("h1", { id: "title" }, entry.title),
        ]),
        ...(entry.sound ? [soundLine(entry, siteUrl)] : []),
        ...text,
      ],
    ),
  );
}

function soundLine(entry: EditionEntry, siteUrl: string) {
  const minutes = Math.round((entry.sound?.duration ?? 0) / 60);
  const length = minutes > 0 ? `, ${minutes} ${minutes === 1 ? "minute" : "minutes"}` : "";
  return x("p", { class: "sound" }, [
    x("a", { href: new URL(documentPath(entry), siteUrl).href }, "Listen on the website"),
    length,
  ]);
}

/** Returns the last page: for whom and when this copy was made, and what is in it. */
export function colophonPage(
  { chapters, extras, modified, siteUrl, site }: BookContents,
  { email, now }: { email: string; now: Date },
): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? "" : "s"}`;
  const parts = [count(chapters.length, "chapter"), count(extras.length, "extra")].slice(
    0,
    extras.length > 0 ? 2 : 1,
  );
  const library = new URL("/premium", siteUrl);
  return page(
    ENGLISH,
    "About this copy",
    "colophon",
    x("section", { "epub:type": "colophon", role: "doc-colophon", "aria-labelledby": "title" }, [
      x("h1", { id: "title" }, "About this copy"),
      x("p", { class: "made-for" }, [
        "This copy was made for ",
        x("strong", email),
        ` on ${dateFormat.format(now)}.`,
      ]),
      x("p", "It’s for you to read on as many of your devices as you like."),
      ornament(),
      x("p", [
        `It has ${parts.join(" and ")}, as of ${dateFormat.format(modified)}. When new ones appear at `,
        x("a", { href: library.href }, `${library.host}${library.pathname}`),
        ", download the book again to get them.",
      ]),
      x("p", { class: "rights" }, `© ${holderOf(site)}. All rights reserved.`),
    ]),
  );
}

const entryLabel = (entry: EditionEntry) =>
  entry.number === null ? labeledTitle(entry) : `${entry.number}. ${entry.title}`;

/** Returns the contents, as a page and as the navigation menu of reading systems. */
export function navigationPage({ sections }: BookContents): string {
  const entry = (href: string, label: string, ...more: Element[]) =>
    x("li", [x("a", { href }, label), ...more]) as Element;
  const landmark = (type: string, href: string, label: string) =>
    x("li", [x("a", { "epub:type": type, href }, label)]);
  const first = sections[0]?.entries[0];
  return page(ENGLISH, "Contents", "contents", [
    x("nav", { "epub:type": "toc", role: "doc-toc", id: "toc", "aria-labelledby": "title" }, [
      x("h1", { id: "title" }, "Contents"),
      x("ol", [
        ...sections.flatMap(({ begin, entries }) => {
          const texts = entries.map((each) => entry(textFile(each), entryLabel(each)));
          return begin ? [entry(begin.file, begin.title, x("ol", texts) as Element)] : texts;
        }),
        entry(COLOPHON_FILE, "About this copy"),
      ]),
    ]),
    x("nav", { "epub:type": "landmarks", id: "landmarks", hidden: "hidden" }, [
      x("h2", "Landmarks"),
      x("ol", [
        landmark("cover", "cover.xhtml", "Cover"),
        landmark("titlepage", "title.xhtml", "Title page"),
        landmark("toc", "contents.xhtml#toc", "Contents"),
        ...(first ? [landmark("bodymatter", textFile(first), "Beginning")] : []),
      ]),
    ]),
  ]);
}

/** Returns the contents for reading systems that support only EPUB 2. */
export function ncx({ sections, identifier, site }: BookContents): string {
  const point = (label: string, src: string, ...more: Element[]) =>
    x("navPoint", [x("navLabel", [x("text", label)]), x("content", { src }), ...more]) as Element;
  const xml = xmlDocument(
    x("ncx", { xmlns: "http://www.daisy.org/z3986/2005/ncx/", version: "2005-1" }, [
      x("head", [
        x("meta", { name: "dtb:uid", content: identifier }),
        x("meta", { name: "dtb:depth", content: sections.some(({ begin }) => begin) ? "2" : "1" }),
        x("meta", { name: "dtb:totalPageCount", content: "0" }),
        x("meta", { name: "dtb:maxPageNumber", content: "0" }),
      ]),
      x("docTitle", [x("text", site.title)]),
      x("navMap", [
        ...sections.flatMap(({ begin, entries }) => {
          const texts = entries.map((each) => point(entryLabel(each), textFile(each)));
          return begin ? [point(begin.title, begin.file, ...texts)] : texts;
        }),
        point("About this copy", COLOPHON_FILE),
      ]),
    ]) as Element,
  );
  let order = 0;
  // in the order of the document, whatever its parts
  return xml.replaceAll("<navPoint>", () => {
    order += 1;
    return `<navPoint id="point-${order}" playOrder="${order}">`;
  });
}
