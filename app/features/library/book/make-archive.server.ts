import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import { findDocumentTexts } from "~db/queries/editions";
import type { EditionEntry } from "../edition";
import { documentPath } from "../library-paths";
import { findMedia } from "../media-store.server";
import { authorPictures } from "../site-files.server";
import { type BookContents, COLOPHON_FILE, textFile } from "./book-contents";
import { bookFiles } from "./book-files.server";
import { type BookImage, container, packageDocument } from "./book-package";
import { coverPage, navigationPage, ncx, partPage, textPage, titlePage } from "./book-pages";
import { bookText } from "./book-text.server";

/** Maximum number of texts in memory. */
const BATCH = 20;

/** Maximum total size of a book's images; later ones stay on the website. E-readers and mail limit a book's size. */
const MAX_IMAGE_BYTES = 200 * 1024 * 1024;

/** Image types that every e-reader supports (EPUB 3.3, 3.2). */
const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** An archive written file by file, as it is read, with only one of them in memory. */
class Archive {
  readonly #zip = new ZipFile();
  readonly content = this.#zip.outputStream as Readable;
  /** Rejects if the archive is not read to its end. */
  readonly #read = finished(this.content);

  constructor(private readonly modified: Date) {
    // the next `add` rejects
    this.#read.catch(() => {});
    // first and uncompressed, as required (OCF, 4.3)
    this.#zip.addBuffer(Buffer.from("application/epub+zip"), "mimetype", {
      ...this.#options,
      compress: false,
    });
  }

  /** `mimetype` must not have the extra field of other timestamps. */
  get #options() {
    return { mtime: this.modified, mode: 0o100644, forceDosTimestamp: true };
  }

  async add(name: string, content: string | Buffer): Promise<void> {
    const source = Readable.from([Buffer.from(content)]);
    const taken = finished(source);
    this.#zip.addReadStreamLazy(name, this.#options, (callback) => callback(null, source));
    await Promise.race([taken, this.#read]);
  }

  end(): void {
    this.#zip.end();
  }
}

/**
 * Writes a book with this colophon as EPUB 3, at the pace at which it is read. Yields to the event loop between texts,
 * and holds few of them in memory. Fails with the database's and the file system's errors.
 */
export function writeBook(contents: BookContents, colophon: string): Readable {
  const archive = new Archive(contents.modified);
  addFiles(contents, colophon, archive).then(
    () => archive.end(),
    (error) => archive.content.destroy(error),
  );
  return archive.content;
}

async function addFiles(contents: BookContents, colophon: string, archive: Archive): Promise<void> {
  const { sections, site } = contents;
  const own = site.isSample ? null : await authorPictures(site);
  await archive.add("META-INF/container.xml", container());
  for (const [name, content] of await bookFiles()) {
    await archive.add(`EPUB/${name}`, own?.get(name) ?? content);
  }
  await archive.add("EPUB/cover.xhtml", coverPage(contents));
  await archive.add("EPUB/title.xhtml", titlePage(contents));
  await archive.add("EPUB/contents.xhtml", navigationPage(contents));
  await archive.add("EPUB/toc.ncx", ncx(contents));
  const images = new Images(archive);
  for (const { begin, entries } of sections) {
    if (begin) await archive.add(`EPUB/${begin.file}`, partPage(begin, site));
    await addTexts(entries, contents, archive, images);
  }
  await archive.add(`EPUB/${COLOPHON_FILE}`, colophon);
  await archive.add("EPUB/package.opf", packageDocument(contents, images.all()));
}

async function addTexts(
  entries: readonly EditionEntry[],
  { edition, chapters, extras, siteUrl }: BookContents,
  archive: Archive,
  images: Images,
): Promise<void> {
  const texts = new Map(
    [...chapters, ...extras].map((entry) => [
      documentPath(entry),
      { file: textFile(entry), blockCount: entry.blockCount },
    ]),
  );
  const imageFile = (name: string) => images.add(name);
  for (let start = 0; start < entries.length; start += BATCH) {
    const batch = entries.slice(start, start + BATCH);
    const htmlBySlug = await findDocumentTexts(
      edition,
      batch.map(({ slug }) => slug),
    );
    for (const entry of batch) {
      const html = htmlBySlug.get(entry.slug);
      if (html === undefined) throw new Error(`The edition has lost the text ${entry.slug}.`);
      const text = await bookText(html, { siteUrl, texts, imageFile });
      await archive.add(`EPUB/${textFile(entry)}`, textPage(entry, text, siteUrl));
    }
  }
}

/** A book's images, each added once. */
class Images {
  readonly #files = new Map<string, BookImage | null>();
  #bytes = 0;

  constructor(private readonly archive: Archive) {}

  /** Adds an image by its media name, unless it is there already. Returns null if the book cannot include it. */
  async add(name: string): Promise<string | null> {
    const known = this.#files.get(name);
    if (known !== undefined) return known?.file ?? null;
    const media = await findMedia(name);
    if (
      !media ||
      !IMAGE_TYPES.has(media.mediaType) ||
      this.#bytes + media.bytes > MAX_IMAGE_BYTES
    ) {
      this.#files.set(name, null);
      return null;
    }
    this.#bytes += media.bytes;
    const file = `images/${name}`;
    await this.archive.add(`EPUB/${file}`, await readFile(media.path));
    this.#files.set(name, { file, mediaType: media.mediaType });
    return file;
  }

  all(): BookImage[] {
    return [...this.#files.values()].filter((image) => image !== null);
  }
}
