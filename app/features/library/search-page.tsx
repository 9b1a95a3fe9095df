import { Link } from "@remix-run/react";
import { ArrowLeftIcon, ButtonLink } from "~/ui";
import { CHAPTERS_PATH } from "./library-paths";
import { SearchField } from "./search-field";
import { searchPath } from "./search-paths";
import type { MarkedText, SearchResult, SearchView } from "./search-view";

/** The search over the edition's texts, with one page of results. */
export function SearchPage({ search }: { search: SearchView }) {
  const { query, total, results } = search;
  return (
    <div className="frame column-page">
      <Link to={CHAPTERS_PATH} className="back-link">
        <ArrowLeftIcon className="size-4" />
        All chapters
      </Link>
      <h1 className="page-heading mt-6 mb-8">Search</h1>
      <SearchField query={query} />
      {results.length > 0 ? (
        <>
          <h2 className="mt-10 text-ink-soft text-lg">{countOf(search)}</h2>
          <ol className="mt-6">
            {results.map((result) => (
              <FoundText key={result.path} {...result} />
            ))}
          </ol>
          <Pages {...search} />
        </>
      ) : (
        query !== "" && <NothingFound query={query} />
      )}
      <p role="status" className="sr-only">
        {query !== "" && (total === 0 ? `No matches for “${query}”` : countOf(search))}
      </p>
    </div>
  );
}

/** Describes how many texts match, and which page this is. */
function countOf({ query, total, page, pages }: SearchView): string {
  const results = total === 1 ? "1 result" : `${total.toLocaleString("en-US")} results`;
  const place = pages > 1 ? `, page ${page} of ${pages}` : "";
  return `${results} for “${query}”${place}`;
}

function FoundText({ label, title, path, passage, isCut }: SearchResult) {
  return (
    <li className="border-line border-t py-6">
      <p className="text-ink-soft text-sm">{label}</p>
      <h3 className="mt-1 font-display text-xl">
        <Link to={path} className="title-link">
          <Marked text={title} />
        </Link>
      </h3>
      <p className="mt-2 text-ink-soft">
        {isCut.before && "… "}
        <Marked text={passage} />
        {isCut.after && " …"}
      </p>
    </li>
  );
}

function Marked({ text }: { text: MarkedText }) {
  let at = 0;
  return text.map(({ text, isMatch }) => {
    const key = at;
    at += text.length;
    return isMatch ? <mark key={key}>{text}</mark> : <span key={key}>{text}</span>;
  });
}

type PagesProps = Pick<SearchView, "query" | "page" | "pages"> & { path?: string };

/** Links to the pages before and after one of a search; `path` is that of the page without a search. */
export function Pages({ query, page, pages, path }: PagesProps) {
  if (pages < 2) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap gap-x-6 border-line border-t pt-4">
      {page > 1 && (
        <Link to={searchPath(query, page - 1, path)} rel="prev" className="text-link">
          Previous page
        </Link>
      )}
      {page < pages && (
        <Link to={searchPath(query, page + 1, path)} rel="next" className="text-link">
          Next page
        </Link>
      )}
    </nav>
  );
}

function NothingFound({ query }: { query: string }) {
  return (
    <section aria-labelledby="nothing-found" className="mt-10 border-line border-t pt-8">
      <h2 id="nothing-found" className="text-xl">
        No matches for “<span className="wrap-anywhere">{query}</span>”
      </h2>
      <p className="mt-3 mb-6 text-ink-soft">
        Try fewer or simpler words. Very short words are ignored.
      </p>
      <ButtonLink to={CHAPTERS_PATH} variant="secondary">
        Browse the contents
      </ButtonLink>
    </section>
  );
}
