import { and, eq, type SQL, sql } from "drizzle-orm";
import { db } from "../client";
import { editionDocuments } from "../schema";
import {
  type FoldedText,
  foldSearch,
  foldText,
  originalRanges,
  type Range,
  withBeginnings,
  writtenSearch,
  writtenWords,
} from "../search-text";

/** The terms of a search. Each field is a tsquery's text. */
export type SearchTerms = {
  /** The whole search: words, phrases, alternatives and exclusions. */
  all: string;
  /** Any of the words that a match can contain. */
  any: string;
  /** The stems of those words, as PostgreSQL's English dictionary has them. */
  stems: string[];
  /** The whole search, and any of its words, as they are written. */
  written: { all: string; any: string };
};

/** A text's place in `searchDocuments`. Its blocks are an array in JSON. */
export type FoundDocument = { slug: string; blocks: string };

/** The text of a group that fits a search best. */
export type BestMatch = {
  /** The number that it was given. */
  number: number;
  /** The positions of the found words in it, in order; empty if it has none of them. */
  matches: Range[];
};

/** Most matches of a search that are ranked by their whole text; further ones are not found. */
export const MAX_RANKED = 200;

/** Most words for which proximity counts in the ranking, since its time grows by their square. */
const MAX_NEAR = 3;

// noncharacters, which no searchable text contains
const START = "\ufdd0";
const STOP = "\ufdd1";
const MARK_ALL = `HighlightAll=true, StartSel=${START}, StopSel=${STOP}`;

/**
 * A hyphen that neither excludes the next word nor joins two words. PostgreSQL takes each for an exclusion, and fails
 * at the 33rd: "tsquery stack too small".
 */
const MEANINGLESS_HYPHENS = /-{2,}|-(?![\p{L}\p{N}\p{M}"])/gu;

/**
 * Parses words in the syntax of web searches: `"a phrase"`, `or`, `-without`. Never fails. Null if no searchable word
 * is left, as of "the". `prefix` is the same search with the last word as a prefix; null where that makes no sense, as
 * after a phrase.
 */
export async function parseSearch(
  words: string,
): Promise<{ exact: SearchTerms; prefix: SearchTerms | null } | null> {
  const query = foldSearch(words).replace(MEANINGLESS_HYPHENS, " ");
  const [parsed] = await db().execute<Record<"all" | "indexed" | "written", string>>(sql`
    select query::text as "all", querytree(query) as indexed,
      websearch_to_tsquery('simple', ${writtenSearch(query)})::text as written
    from websearch_to_tsquery('english', ${query}) as query
  `);
  // querytree() says T for what no index can answer, such as exclusions alone
  if (!parsed || parsed.indexed === "" || parsed.indexed === "T") return null;
  const all = withBeginnings(parsed.all);
  const { all: allWritten, any: anyWritten } = termsOf(parsed.written);
  const written = { all: allWritten, any: anyWritten };
  const canBePrefix = !all.includes("<") && /(?<!!)'[^']*'$/.test(all);
  return {
    exact: { ...termsOf(all), written },
    prefix: canBePrefix ? { ...termsOf(`${all}:*`), written } : null,
  };
}

function termsOf(all: string) {
  // no quotation mark is in a word: the query had letters, digits and hyphens alone
  const words = [...all.matchAll(/(?<![!])('([^']+)'(?::\*)?)/g)];
  return {
    all,
    any: words.map(([, word]) => word).join(" | "),
    stems: words.map(([, , stem = ""]) => stem),
  };
}

/**
 * The matching texts of an edition that are published at `now`, and their total number. Titles come first, then
 * summaries; among them, texts with the words as they are written, and then those with other forms of them. Of more
 * than 200 matches, titles and summaries decide which are ranked.
 */
export async function searchDocuments(
  edition: string,
  { all, any, stems, written }: SearchTerms,
  { now, offset, limit }: { now: Date; offset: number; limit: number },
): Promise<{ total: number; documents: FoundDocument[] }> {
  const isNear = stems.length <= MAX_NEAR;
  const [rankedBy, writtenBy] = isNear ? [all, written.all] : [any, written.any];
  return db().transaction(async (tx) => {
    // for a frequent word the planner would scan the table, not knowing that reading `search` is slow
    await tx.execute(sql`set local enable_seqscan = off`);
    const rows = await tx.execute<{ slug: string; blocks: string; total: number }>(sql`
      with matching as materialized (
        select slug, kind, position, ts_rank(heading_search, ${all}::tsquery) as heading_rank
        from edition_documents
        where edition = ${edition} and search @@ ${all}::tsquery
          and (publish_at is null or publish_at <= ${now.toISOString()}::timestamptz)
      ), ranked as (
        select slug, kind, position,
          ts_filter(heading_search, '{a}') @@ ${all}::tsquery as is_title,
          heading_search @@ ${all}::tsquery as is_heading,
          ts_rank(search, ${writtenBy}::tsquery, 1) as written_rank,
          ts_rank(search, ${rankedBy}::tsquery, 1) as rank
        from (
          select slug from matching order by heading_rank desc, kind, position limit ${MAX_RANKED}
        ) as candidates
        join edition_documents using (slug)
        where edition = ${edition}
      ), page as (
        select slug, row_number() over (
          order by is_title desc, is_heading desc, written_rank desc, rank desc, kind, position
        ) as place
        from ranked order by place limit ${limit} offset ${offset}
      )
      select slug, array_to_json(blocks)::text as blocks, (select count(*) from matching)::int as total
      from page join edition_documents using (slug)
      where edition = ${edition}
      order by page.place
    `);
    return { total: rows[0]?.total ?? 0, documents: rows };
  });
}

/**
 * The best match for a search in each group of texts, the first of equals. A text with all terms is better than one
 * with some, and that is better than one with none.
 */
export async function findBestMatches(
  groups: readonly (readonly { number: number; text: string }[])[],
  { all, any }: SearchTerms,
): Promise<BestMatch[]> {
  const texts = groups.flatMap((texts, group) =>
    texts.map(({ text }, at) => ({ group, at, text: foldText(text).text })),
  );
  const rows = await db().execute<{ group: number; at: number; headline: string }>(sql`
    with texts as (
      select * from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb)
        as texts("group" int, at int, text text)
    ), ranked as (
      select texts.*, words @@ ${all}::tsquery as has_all, ts_rank(words, ${any}::tsquery) as rank
      from texts cross join lateral to_tsvector('english', text) as words
    ), best as (
      select distinct on ("group") * from ranked order by "group", has_all desc, rank desc, at
    )
    select "group", at, ts_headline('english', text, ${any}::tsquery, ${MARK_ALL}) as headline
    from best order by "group"
  `);
  return rows.map(({ group, at, headline }) => {
    const { number = 0, text = "" } = groups[group]?.[at] ?? {};
    return { number, matches: rangesOf(headline, foldText(text)) };
  });
}

/** The positions of any of a search's words in a text, in order. */
export async function findMatches(text: string, { any }: SearchTerms): Promise<Range[]> {
  const folded = foldText(text);
  const [row] = await db().execute<{ headline: string }>(sql`
    select ts_headline('english', ${folded.text}, ${any}::tsquery, ${MARK_ALL}) as headline
  `);
  return rangesOf(row?.headline ?? "", folded);
}

/** The marked ranges of a text; none if ts_headline() has returned anything but that text with marks. */
function rangesOf(headline: string, folded: FoldedText): Range[] {
  const [before = "", ...parts] = headline.split(START);
  let length = before.length;
  const ranges = parts.map((part) => {
    const [match = "", after = ""] = part.split(STOP);
    const range = { start: length, end: length + match.length };
    length = range.end + after.length;
    return range;
  });
  return length === folded.text.length ? originalRanges(folded, ranges) : [];
}

/** A lexeme of each title that is indexed as this release searches. It is no word, since it has a space. */
const INDEX_FORMAT = "'format 2'";

/** Returns SQL for the index of a text, which is as in `edition_documents`. */
export function searchIndex({
  title,
  summary,
  blocks,
}: {
  title: string;
  summary: string;
  blocks: readonly string[];
}): SQL {
  const weighted = [
    ["A", title],
    ["B", summary],
    ["D", blocks.join("\n")],
  ] as const;
  const folded = weighted.map(([weight, text]) => [weight, foldText(text).text] as const);
  return sql.join(
    [
      ...folded.map(([weight, text]) => sql`setweight(to_tsvector('english', ${text}), ${weight})`),
      ...folded.map(
        ([weight, text]) => sql`setweight(to_tsvector('simple', ${writtenWords(text)}), ${weight})`,
      ),
      sql.raw(`'${INDEX_FORMAT.replaceAll("'", "''")}:1A'::tsvector`),
    ],
    sql` || `,
  );
}

/** Documents that are indexed again per statement. */
const BATCH = 25;

/** Indexes the documents of an edition again that another release has indexed. */
export async function renewSearchIndex(edition: string): Promise<void> {
  for (;;) {
    const documents = await db()
      .select({
        slug: editionDocuments.slug,
        title: editionDocuments.title,
        summary: editionDocuments.summary,
        blocks: editionDocuments.blocks,
      })
      .from(editionDocuments)
      .where(
        and(
          eq(editionDocuments.edition, edition),
          sql`not heading_search @@ ${INDEX_FORMAT}::tsquery`,
        ),
      )
      .limit(BATCH);
    if (documents.length === 0) return;
    for (const { slug, ...texts } of documents) {
      await db()
        .update(editionDocuments)
        .set({ search: searchIndex(texts) })
        .where(and(eq(editionDocuments.edition, edition), eq(editionDocuments.slug, slug)));
    }
  }
}
