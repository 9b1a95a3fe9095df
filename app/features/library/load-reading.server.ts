import { findDocumentHtml } from "~db/queries/editions";
import type { DocumentKind } from "~db/schema";
import type { Edition } from "./edition";
import { findReadingDocument, type ReadingDocument } from "./reading-document";

/** The chapter or extra with this slug and its HTML; null if there is none of this kind that is published. */
export async function loadReading(
  edition: Edition,
  wanted: { kind: DocumentKind; slug: string },
): Promise<{ document: ReadingDocument; html: string } | null> {
  const document = findReadingDocument(edition, wanted, new Date());
  if (!document) return null;
  const html = await findDocumentHtml(edition.digest, document.slug);
  return html === null ? null : { document, html };
}
