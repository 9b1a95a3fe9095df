import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { initialClass } from "~/features/site/page-site";
import { StaticSection } from "~/ui";
import type { ListedText } from "./library-overview-data";
import { CHAPTERS_PATH, PROGRESS_PATH } from "./library-paths";
import type { ReadingDocument } from "./load-reading.server";
import { ReadingBar, type ReadingBarProps } from "./reading-bar";
import { minutesText, soundText } from "./reading-time";

type ReadingPageProps = Pick<ReadingBarProps, "left" | "stop" | "onPanel"> & {
  document: ReadingDocument;
  /** Sanitized HTML; undefined in a browser that hydrates a page which already contains it. */
  html?: string | undefined;
  /** The id of the place at which the page opens (`ScrollPosition`); undefined for the beginning. */
  opensAt: string | undefined;
  /** The sound player, above the text. */
  player: ReactNode;
  /** Steps through the places that a search has found, at the window's foot. */
  steps: ReactNode;
  /** The read mark, below the text. */
  end: ReactNode;
  /** Goes on and marks the text as read; null if it is read already. */
  onNext: (() => void) | null;
  /** The notes, below all. */
  children: ReactNode;
};

/** The page of a chapter or extra, set like a page of the book. */
export function ReadingPage({ document, html, opensAt, onNext, ...parts }: ReadingPageProps) {
  const { slug, key, label, title, previous, next, language, dir } = document;
  return (
    <div className="reading-page" data-opens-at={opensAt}>
      <ReadingBar title={title} back={{ to: CHAPTERS_PATH, label: "Contents" }} {...parts} />
      <article aria-labelledby="document-title">
        <div className="reading-sheet">
          <div className="reading-progress" aria-hidden="true" />
          <header className="reading-opening">
            {label && <p className="eyebrow">{label}</p>}
            <h1 id="document-title" className="page-heading" lang={language} dir={dir}>
              {title}
            </h1>
            <p className="reading-minutes">
              {minutesText(document.minutes)}
              {soundText(document.soundMinutes)}
            </p>
            <div className="path-ornament" />
          </header>
          {parts.player}
          <div className="reading-column" lang={language} dir={dir}>
            <StaticSection
              id="text"
              markupKey={key}
              html={html}
              className={`book-text markdown-text reading-text ${initialClass(document)}`}
            />
          </div>
          {document.number !== null && (
            <p className="reading-folio" aria-hidden="true">
              {document.number}
            </p>
          )}
          {parts.steps}
        </div>
        <div className="reading-after">
          {parts.end}
          <nav aria-label="Before and after" className="reading-neighbors">
            {onNext ? (
              <form
                method="post"
                action={PROGRESS_PATH}
                onSubmit={(event) => {
                  event.preventDefault();
                  onNext();
                }}
              >
                <input type="hidden" name="slug" value={slug} />
                <input type="hidden" name="action" value="read-on" />
                <button type="submit" className="reading-neighbor reading-neighbor-next">
                  <NeighborLabel neighbor={next} direction="Next" />
                </button>
              </form>
            ) : (
              <NeighborLink neighbor={next} direction="Next" rel="next" />
            )}
            <NeighborLink neighbor={previous} direction="Previous" rel="prev" />
          </nav>
          {parts.children}
        </div>
      </article>
    </div>
  );
}

type NeighborProps = { neighbor: ListedText | null; direction: "Previous" | "Next" };

/** Link to the next or previous text; at either end of the series, to the contents. */
function NeighborLink({ rel, ...neighbor }: NeighborProps & { rel: "prev" | "next" }) {
  return (
    <Link
      to={neighbor.neighbor?.path ?? CHAPTERS_PATH}
      rel={neighbor.neighbor ? rel : undefined}
      className={`reading-neighbor reading-neighbor-${rel}`}
    >
      <NeighborLabel {...neighbor} />
    </Link>
  );
}

function NeighborLabel({ neighbor, direction }: NeighborProps) {
  return (
    <>
      <span className="reading-neighbor-label">
        {neighbor ? `${direction}: ${neighbor.label}` : "All chapters and extras"}
      </span>
      <span className="reading-neighbor-title">{neighbor?.title ?? "Contents"}</span>
    </>
  );
}
