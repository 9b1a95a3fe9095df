import { and, desc, eq, getTableColumns, inArray, lt, ne, sql } from "drizzle-orm";
import { db, type Executor, type Transaction } from "../client";
import {
  type EditionDocument,
  type EditionFile,
  editionDocuments,
  editionFiles,
  editions,
} from "../schema";
import { searchIndex } from "./edition-search";

/** The HTML of a chapter or extra; null if the edition has none with this slug. */
export async function findDocumentHtml(edition: string, slug: string): Promise<string | null> {
  const [document] = await db()
    .select({ html: editionDocuments.html })
    .from(editionDocuments)
    .where(and(eq(editionDocuments.edition, edition), eq(editionDocuments.slug, slug)));
  return document?.html ?? null;
}

/** A text's HTML, and the key of its rendering, which changes with it. */
export type StoredText = Pick<EditionDocument, "slug" | "html" | "renderKey"> & { id: string };

/** The chapters and extras with these slugs. */
export async function findStoredTexts(
  edition: string,
  slugs: readonly string[],
): Promise<StoredText[]> {
  if (slugs.length === 0) return [];
  const { id, slug, html, renderKey } = editionDocuments;
  return db()
    .select({ slug, html, renderKey, id: sql<string>`coalesce(${id}, ${slug})` })
    .from(editionDocuments)
    .where(and(eq(editionDocuments.edition, edition), inArray(slug, [...slugs])));
}

/** The HTML of the chapters and extras with these slugs. */
export async function findDocumentTexts(
  edition: string,
  slugs: readonly string[],
): Promise<Map<string, string>> {
  const rows = await findStoredTexts(edition, slugs);
  return new Map(rows.map(({ slug, html }) => [slug, html]));
}

/** Whether the HTML of one of these chapters and extras contains a reference, such as the address of an image. */
export async function isReferredTo(
  reference: string,
  edition: string,
  slugs: readonly string[],
): Promise<boolean> {
  if (slugs.length === 0) return false;
  const [document] = await db()
    .select({ slug: editionDocuments.slug })
    .from(editionDocuments)
    .where(
      and(
        eq(editionDocuments.edition, edition),
        inArray(editionDocuments.slug, [...slugs]),
        sql`strpos(${editionDocuments.html}, ${reference}) > 0`,
      ),
    )
    .limit(1);
  return document !== undefined;
}

/** The time at which the first instance stored an edition; null if none has. */
export async function findImportTime(digest: string): Promise<Date | null> {
  const [edition] = await db()
    .select({ importedAt: editions.importedAt })
    .from(editions)
    .where(eq(editions.digest, digest));
  return edition?.importedAt ?? null;
}

/**
 * Begins an edition, unless it is there; says whether this call did. Another transaction that begins the same one
 * waits for the first to end.
 */
export async function insertEdition(
  edition: { digest: string; site: unknown },
  tx: Transaction,
): Promise<boolean> {
  const { count } = await tx.insert(editions).values(edition).onConflictDoNothing();
  return count > 0;
}

/** A document to be stored; PostgreSQL derives the search columns. */
export type NewDocument = Omit<EditionDocument, "search" | "headingSearch">;

/** Stores the documents of an edition. */
export async function insertDocuments(
  documents: readonly NewDocument[],
  tx: Transaction,
): Promise<void> {
  if (documents.length === 0) return;
  await tx.insert(editionDocuments).values(
    documents.map((document) => ({
      ...document,
      search: searchIndex(document),
    })),
  );
}

/** The renderings of earlier editions with these keys. */
export async function findRenderings(
  renderKeys: readonly string[],
  executor: Executor,
): Promise<Map<string, Pick<EditionDocument, "html" | "blocks" | "wordCount">>> {
  if (renderKeys.length === 0) return new Map();
  const rows = await executor
    .selectDistinctOn([editionDocuments.renderKey], {
      renderKey: editionDocuments.renderKey,
      html: editionDocuments.html,
      blocks: editionDocuments.blocks,
      wordCount: editionDocuments.wordCount,
    })
    .from(editionDocuments)
    .where(inArray(editionDocuments.renderKey, [...renderKeys]));
  return new Map(rows.map(({ renderKey, ...rendering }) => [renderKey, rendering]));
}

/** Rows of one statement: PostgreSQL takes at most 65,535 parameters. */
const FILES_PER_STATEMENT = 1_000;

/** Stores the images and sounds of an edition. */
export async function insertEditionFiles(
  files: readonly EditionFile[],
  tx: Transaction,
): Promise<void> {
  for (let start = 0; start < files.length; start += FILES_PER_STATEMENT) {
    await tx.insert(editionFiles).values(files.slice(start, start + FILES_PER_STATEMENT));
  }
}

/** A document without its text, and the sound that belongs to it. */
export type DocumentOutline = Omit<
  EditionDocument,
  "edition" | "html" | "blocks" | "search" | "renderKey" | "audio"
> & { blockCount: number; sound: EditionFile | null };

/** An edition without its texts; null if it is not stored. */
export async function findEdition(
  digest: string,
): Promise<{ landing: unknown; site: unknown; documents: DocumentOutline[] } | null> {
  const executor = db();
  const [edition] = await executor
    .select({ landing: editions.landing, site: editions.site })
    .from(editions)
    .where(eq(editions.digest, digest));
  if (!edition) return null;
  const {
    edition: _,
    html,
    blocks,
    search,
    renderKey,
    audio,
    ...outline
  } = getTableColumns(editionDocuments);
  const documents = await executor
    .select({
      ...outline,
      blockCount: sql<number>`cardinality(${blocks})`,
      sound: editionFiles,
    })
    .from(editionDocuments)
    .leftJoin(
      editionFiles,
      and(eq(editionFiles.edition, editionDocuments.edition), eq(editionFiles.path, audio)),
    )
    .where(eq(editionDocuments.edition, digest));
  return { ...edition, documents };
}

/** The images and sounds of an edition. */
export async function findEditionFiles(edition: string): Promise<EditionFile[]> {
  return db().select().from(editionFiles).where(eq(editionFiles.edition, edition));
}

/** The edition used last; null if there has been none. */
export async function findLastUsedEdition(): Promise<string | null> {
  const [edition] = await db()
    .select({ digest: editions.digest })
    .from(editions)
    .orderBy(desc(editions.usedAt))
    .limit(1);
  return edition?.digest ?? null;
}

/** Notes that an edition is in use, which keeps it from being deleted. */
export async function touchEdition(digest: string): Promise<void> {
  await db().update(editions).set({ usedAt: sql`now()` }).where(eq(editions.digest, digest));
}

/** Deletes editions that no instance has used since `before`, except `current`. */
export async function deleteUnusedEditions(before: Date, current: string): Promise<void> {
  await db()
    .delete(editions)
    .where(and(lt(editions.usedAt, before), ne(editions.digest, current)));
}

/** The hashes and types of all files of stored editions. */
export async function findStoredFiles(): Promise<{ sha256: string; mediaType: string }[]> {
  return db()
    .selectDistinct({ sha256: editionFiles.sha256, mediaType: editionFiles.mediaType })
    .from(editionFiles);
}
