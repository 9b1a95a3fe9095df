import { Link } from "@remix-run/react";
import { useSite } from "~/features/site/page-site";
import type { Contents, ContentsEntry } from "./contents";
import {
  BOOK_PATH,
  contentsPath,
  E_BOOK_PATH,
  EXTRAS_ID,
  HIGHLIGHTS_PATH,
  NOTES_FILE_PATH,
  stoppedPath,
} from "./library-paths";
import { PODCAST_PAGE_PATH } from "./podcast-paths";
import { ReadMark, TimeLeft } from "./read-mark";
import { ReadingBar } from "./reading-bar";
import { NOT_BEGUN, type TextProgress } from "./reading-state";
import { SearchField } from "./search-field";

type ContentsPageProps = {
  contents: Contents;
  /** By slug. */
  progress: Readonly<Record<string, TextProgress>>;
};

/** The contents of the edition: every chapter and extra with its progress, and the reading time that is left. */
export function ContentsPage({ contents, progress }: ContentsPageProps) {
  const { page, pageCount, sections } = contents;
  const { title: bookTitle } = useSite();
  const extrasBegin = sections.find(({ kind }) => kind === "extra")?.id;
  return (
    <div className="reading-page">
      <ReadingBar title="Contents" back={{ to: "/premium", label: "Members’ area" }} />
      <div className="contents-page">
        <header className="reading-opening">
          <p className="eyebrow">{bookTitle}</p>
          <h1 className="page-heading">Contents</h1>
          <div className="path-ornament" />
        </header>
        <div className="mb-[clamp(2.5rem,6vw,4rem)]">
          <SearchField />
        </div>
        {sections.map(({ id, title, entries }) => (
          <section
            key={id}
            id={id === extrasBegin ? EXTRAS_ID : undefined}
            aria-labelledby={id}
            className="contents-section"
          >
            <h2 id={id} className="contents-heading">
              {title}
            </h2>
            <ol>
              {entries.map((entry) => (
                <Entry
                  key={entry.slug}
                  entry={entry}
                  progress={progress[entry.slug] ?? NOT_BEGUN}
                />
              ))}
            </ol>
          </section>
        ))}
        {/* without `download`: after a membership ended, browsers would save the landing page as a book */}
        <p className="mt-12">
          <a href={BOOK_PATH} className="text-link inline-flex min-h-11 items-center">
            Download as EPUB
          </a>{" "}
          <span className="text-ink-soft">for e-readers and reading apps:</span>{" "}
          <Link to={E_BOOK_PATH} className="text-link inline-flex min-h-11 items-center">
            Kindle, Kobo, phone and tablet
          </Link>
        </p>
        <p className="contents-more">
          <Link to={PODCAST_PAGE_PATH} className="text-link">
            Listen in your podcast app
          </Link>
          <Link to={HIGHLIGHTS_PATH} className="text-link">
            Your highlights
          </Link>
          <a href={NOTES_FILE_PATH} className="text-link">
            Download all your notes and highlights
          </a>
        </p>
        {pageCount > 1 && <Pages page={page} pageCount={pageCount} />}
      </div>
    </div>
  );
}

function Entry({ entry, progress }: { entry: ContentsEntry; progress: TextProgress }) {
  const { path, number, label, title, summary, minutes, soundMinutes } = entry;
  return (
    <li className="contents-entry">
      <span className="contents-number" aria-hidden="true">
        {number}
      </span>
      <div>
        {label && <p className="text-gold-text text-sm">{label}</p>}
        <h3 className="text-xl">
          <Link to={stoppedPath(path, progress.stoppedAt)} className="title-link">
            {number !== null && <span className="sr-only">{number}. </span>}
            {title}
          </Link>
        </h3>
        <p className="mt-1 text-ink-soft">{summary}</p>
      </div>
      <p className="contents-minutes">
        <ReadMark progress={progress} />
        <TimeLeft minutes={minutes} soundMinutes={soundMinutes} progress={progress} />
      </p>
    </li>
  );
}

/** Links to the other pages of long contents. */
function Pages({ page, pageCount }: { page: number; pageCount: number }) {
  const shown = [1, page - 1, page, page + 1, pageCount];
  const numbers = [...new Set(shown)].filter((number) => number >= 1 && number <= pageCount);
  return (
    <nav aria-label="Pages of the contents" className="contents-pages">
      <ol>
        {numbers.map((number, index) => (
          <li key={number}>
            {index > 0 && number - (numbers[index - 1] ?? 0) > 1 && (
              <span aria-hidden="true">…</span>
            )}
            <Link
              to={contentsPath(number)}
              className="contents-page-link"
              aria-current={number === page ? "page" : undefined}
              aria-label={`Page ${number}`}
            >
              {number}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
