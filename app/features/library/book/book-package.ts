import type { Element } from "xast";
import { x } from "xastscript";
import { holderOf } from "~/features/site/site";
import {
  type BookContents,
  COLOPHON_FILE,
  COVER_FILE,
  STYLE_FILE,
  textFile,
} from "./book-contents";
import { xmlDocument } from "./xml";

/** An image in the book. */
export type BookImage = { file: string; mediaType: string };

/** Turns the pages from left to right (EPUB 3.3, 5.7.1). */
const RIGHT_TO_LEFT = { "page-progression-direction": "rtl" };

const PAGE_TYPE = "application/xhtml+xml";

/** Returns the archive's `container.xml`, which locates the package document. */
export function container(): string {
  return xmlDocument(
    x("container", { version: "1.0", xmlns: "urn:oasis:names:tc:opendocument:xmlns:container" }, [
      x("rootfiles", [
        x("rootfile", {
          "full-path": "EPUB/package.opf",
          "media-type": "application/oebps-package+xml",
        }),
      ]),
    ]) as Element,
  );
}

/** Returns the package document: metadata, manifest and spine (EPUB 3.3, Accessibility 1.1). */
export function packageDocument(contents: BookContents, images: readonly BookImage[]): string {
  const pages: { id: string; file: string; properties?: string }[] = [
    { id: "cover", file: "cover.xhtml" },
    { id: "title-page", file: "title.xhtml" },
    { id: "contents", file: "contents.xhtml", properties: "nav" },
    ...contents.sections.flatMap(({ begin, entries }) =>
      [...(begin ? [begin.file] : []), ...entries.map(textFile)].map(pageOf),
    ),
    { id: "colophon", file: COLOPHON_FILE },
  ];
  return xmlDocument(
    x(
      "package",
      {
        xmlns: "http://www.idpf.org/2007/opf",
        version: "3.0",
        "unique-identifier": "identifier",
        "xml:lang": contents.site.language,
      },
      [
        metadata(contents, images),
        x("manifest", [
          x("item", { id: "style", href: STYLE_FILE, "media-type": "text/css" }),
          x("item", { id: "ornament", href: "ornament.svg", "media-type": "image/svg+xml" }),
          x("item", { id: "ncx", href: "toc.ncx", "media-type": "application/x-dtbncx+xml" }),
          x("item", {
            id: "cover-image",
            href: COVER_FILE,
            "media-type": "image/jpeg",
            properties: "cover-image",
          }),
          ...pages.map(({ id, file, ...more }) =>
            x("item", { id, href: file, "media-type": PAGE_TYPE, ...more }),
          ),
          ...images.map(({ file, mediaType }, index) =>
            x("item", { id: `image-${index + 1}`, href: file, "media-type": mediaType }),
          ),
        ]),
        x(
          "spine",
          { toc: "ncx", ...(contents.site.dir === "rtl" && RIGHT_TO_LEFT) },
          pages.map(({ id }) => x("itemref", { idref: id })),
        ),
      ],
    ) as Element,
  );
}

function pageOf(file: string) {
  return { id: file.replace(/\.xhtml$/, ""), file };
}

function metadata({ identifier, modified, site }: BookContents, images: readonly BookImage[]) {
  const meta = (property: string, value: string) => x("meta", { property }, value);
  const mayMove = images.some(({ mediaType }) => /gif|webp/.test(mediaType));
  return x("metadata", { "xmlns:dc": "http://purl.org/dc/elements/1.1/" }, [
    x("dc:identifier", { id: "identifier" }, identifier),
    x("dc:title", { id: "title" }, site.title),
    ...(site.author
      ? [
          x("dc:creator", { id: "author" }, site.author),
          x("meta", { refines: "#author", property: "role", scheme: "marc:relators" }, "aut"),
        ]
      : []),
    ...(site.publisher ? [x("dc:publisher", site.publisher)] : []),
    x("dc:language", site.language),
    ...(site.subtitle ? [x("dc:description", site.subtitle)] : []),
    x("dc:rights", `© ${holderOf(site)}. All rights reserved.`),
    meta("dcterms:modified", `${modified.toISOString().slice(0, 19)}Z`),
    meta("schema:accessMode", "textual"),
    meta("schema:accessMode", "visual"),
    meta("schema:accessModeSufficient", "textual"),
    ...[
      ...["tableOfContents", "structuralNavigation", "readingOrder"],
      ...["alternativeText", "displayTransformability"],
    ].map((feature) => meta("schema:accessibilityFeature", feature)),
    meta("schema:accessibilityHazard", mayMove ? "unknown" : "none"),
    meta(
      "schema:accessibilitySummary",
      "The text can be enlarged and read by screen readers. It has headings and a table of contents. Images have descriptions.",
    ),
    // an older release imported editions without it
    ...conformance(site.ebook?.checkedBy),
    x("meta", { name: "cover", content: "cover-image" }),
  ]);
}

/** The claim of EPUB Accessibility 1.1 (4.3, 4.4), in its words; none if nobody has checked it. */
function conformance(checkedBy: string | null | undefined) {
  if (!checkedBy) return [];
  return [
    x(
      "meta",
      { property: "dcterms:conformsTo", id: "conformance" },
      "EPUB Accessibility 1.1 - WCAG 2.2 Level AA",
    ),
    x("meta", { property: "a11y:certifiedBy", refines: "#conformance" }, checkedBy),
  ];
}
