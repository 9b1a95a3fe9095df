import { Link, useNavigate } from "@remix-run/react";
import { type ReactNode, useEffect } from "react";
import { initialClass } from "~/features/site/page-site";
import { StaticSection } from "~/ui";
import { CHAPTERS_PATH } from "./library-paths";
import { ReadingBar } from "./reading-bar";
import type { Neighbor, ReadingDocument } from "./reading-document";
import { minutesText } from "./reading-time";

type ReadingPageProps = {
  document: ReadingDocument;
  /** Sanitized HTML; undefined in a browser that hydrates a page which already contains it. */
  html?: string | undefined;
  /** The sound player, above the text. */
  player?: ReactNode;
  /** Content below the text: marking it as read, and the notes. */
  children?: ReactNode;
};

/** The page of a chapter or extra, set like a page of the book. */
export function ReadingPage({ document, html, player, children }: ReadingPageProps) {
  const { key, label, title, previous, next, language, dir } = document;
  const [left, right] = dir === "rtl" ? [next, previous] : [previous, next];
  usePageKeys(left?.path, right?.path);
  return (
    <div className="reading-page">
      <ReadingBar title={title} back={{ to: CHAPTERS_PATH, label: "Contents" }} />
      <article aria-labelledby="document-title">
        <div className="reading-sheet">
          <div className="reading-progress" aria-hidden="true" />
          <header className="reading-opening">
            {label && <p className="eyebrow">{label}</p>}
            <h1 id="document-title" className="page-heading" lang={language} dir={dir}>
              {title}
            </h1>
            <p className="reading-minutes">{minutesText(document.minutes)}</p>
            <div className="path-ornament" />
          </header>
          {player}
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
        </div>
        {children && <div className="reading-after">{children}</div>}
      </article>
      <nav aria-label="Before and after" className="frame reading-neighbors">
        <NeighborLink neighbor={previous} direction="Previous" rel="prev" />
        <NeighborLink neighbor={next} direction="Next" rel="next" />
      </nav>
    </div>
  );
}

type NeighborLinkProps = {
  neighbor: Neighbor | null;
  direction: "Previous" | "Next";
  rel: "prev" | "next";
};

/** Link to the next or previous text; at either end of the series, to the contents. */
function NeighborLink({ neighbor, direction, rel }: NeighborLinkProps) {
  return (
    <Link
      to={neighbor?.path ?? CHAPTERS_PATH}
      rel={neighbor ? rel : undefined}
      className={`reading-neighbor reading-neighbor-${rel}`}
    >
      <span className="reading-neighbor-label">
        {neighbor ? `${direction}: ${neighbor.label}` : "All chapters and extras"}
      </span>
      <span className="reading-neighbor-title">{neighbor?.title ?? "Contents"}</span>
    </Link>
  );
}

/** Elements with their own use of the arrow keys. */
const USES_ARROWS =
  "input, textarea, select, audio, video, [contenteditable], [role=menu], [role=slider], [role=tablist]";

/** Navigates with the arrow keys. */
function usePageKeys(left: string | undefined, right: string | undefined): void {
  const navigate = useNavigate();
  useEffect(() => {
    const turn = (event: KeyboardEvent) => {
      const to = { ArrowLeft: left, ArrowRight: right }[event.key];
      const { altKey, ctrlKey, metaKey, shiftKey, repeat, defaultPrevented, target } = event;
      if (!to || altKey || ctrlKey || metaKey || shiftKey || repeat || defaultPrevented) return;
      if (target instanceof Element && target.closest(USES_ARROWS)) return;
      navigate(to);
    };
    document.addEventListener("keydown", turn);
    return () => document.removeEventListener("keydown", turn);
  }, [navigate, left, right]);
}
