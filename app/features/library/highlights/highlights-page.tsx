import { Link, useLocation } from "@remix-run/react";
import { ArrowLeftIcon } from "~/ui";
import {
  CHAPTERS_PATH,
  HIGHLIGHTS_FILE_PATH,
  HIGHLIGHTS_PATH,
  highlightPath,
  NOTES_FILE_PATH,
} from "../library-paths";
import { SearchField } from "../search-field";
import { Pages } from "../search-page";
import { DeleteHighlight, Passage } from "./highlight-form";
import type { HighlightList, ListedHighlight } from "./list-highlights.server";

/** All of a member's highlights by text, with a search. */
export function HighlightsPage({ query, total, page, pages, texts }: HighlightList) {
  const numbered = total === 1 ? "1 highlight" : `${total.toLocaleString("en-US")} highlights`;
  return (
    <div className="frame column-page">
      <Link to={CHAPTERS_PATH} className="back-link">
        <ArrowLeftIcon className="size-4" />
        Contents
      </Link>
      <h1 className="page-heading mt-6 mb-8">Your highlights</h1>
      <SearchField
        query={query}
        action={HIGHLIGHTS_PATH}
        label="Search your highlights and their notes"
      />
      <p role="status" className="mt-8 text-ink-soft">
        {query === ""
          ? total === 0
            ? "You don’t have any highlights yet. Select words in a chapter to highlight them."
            : numbered
          : total === 0
            ? `No matches for “${query}”`
            : `${numbered} for “${query}”`}
        {pages > 1 && `, page ${page} of ${pages}`}
      </p>
      {texts.map(({ slug, title, highlights }) => (
        <section key={slug} aria-labelledby={`of-${slug}`} className="mt-10">
          <h2 id={`of-${slug}`} className="text-xl">
            {title}
          </h2>
          <ul>
            {highlights.map((highlight) => (
              <Item key={highlight.id} {...highlight} />
            ))}
          </ul>
        </section>
      ))}
      <Pages query={query} page={page} pages={pages} path={HIGHLIGHTS_PATH} />
      <p className="mt-10 flex flex-wrap gap-x-6">
        <a href={NOTES_FILE_PATH} className="text-link">
          Download notes and highlights
        </a>
        <a href={HIGHLIGHTS_FILE_PATH} className="text-link">
          Download for Readwise (CSV)
        </a>
      </p>
    </div>
  );
}

function Item({ id, quote, color, note, path }: ListedHighlight) {
  const { pathname, search } = useLocation();
  return (
    <li className="border-line border-b py-5">
      <Passage quote={quote} color={color} note={note} />
      {path === null && (
        <p className="mt-2 text-ink-soft text-sm">These words are no longer in the book.</p>
      )}
      <div className="mt-2 flex flex-wrap items-center gap-x-6">
        {path && (
          <Link to={path} className="text-link">
            Open in the text
          </Link>
        )}
        <Link to={highlightPath(id)} className="text-link">
          Change
        </Link>
        <DeleteHighlight id={id} redirectTo={pathname + search} />
      </div>
    </li>
  );
}
