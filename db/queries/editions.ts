import { and, eq } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { editionDocuments } from "../schema";

/** The HTML of a chapter or extra; null if the edition has none with this slug. */
export async function findDocumentHtml(
  edition: string,
  slug: string,
  executor: Executor = getDatabase().db,
): Promise<string | null> {
  const [document] = await executor
    .select({ html: editionDocuments.html })
    .from(editionDocuments)
    .where(and(eq(editionDocuments.edition, edition), eq(editionDocuments.slug, slug)));
  return document?.html ?? null;
}
