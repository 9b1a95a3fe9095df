import { and, eq, inArray, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { editionDocuments, editions } from "../schema";

/** Whether the HTML of one of these chapters and extras contains a reference, such as the address of an image. */
export async function isReferredTo(
  reference: string,
  edition: string,
  slugs: readonly string[],
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  if (slugs.length === 0) return false;
  const [document] = await executor
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

/** The HTML of these chapters and extras, by slug. */
export async function findHtmlBySlug(
  edition: string,
  slugs: readonly string[],
  executor: Executor = getDatabase().db,
): Promise<Map<string, string>> {
  if (slugs.length === 0) return new Map();
  const documents = await executor
    .select({ slug: editionDocuments.slug, html: editionDocuments.html })
    .from(editionDocuments)
    .where(and(eq(editionDocuments.edition, edition), inArray(editionDocuments.slug, [...slugs])));
  return new Map(documents.map(({ slug, html }) => [slug, html]));
}

/** When an edition was imported, by whichever instance was first; null if it is not stored. */
export async function findEditionImportTime(
  digest: string,
  executor: Executor = getDatabase().db,
): Promise<Date | null> {
  const [edition] = await executor
    .select({ importedAt: editions.importedAt })
    .from(editions)
    .where(eq(editions.digest, digest));
  return edition?.importedAt ?? null;
}
