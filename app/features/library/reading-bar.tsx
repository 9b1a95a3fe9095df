import { Link } from "@remix-run/react";
import { type MouseEvent, type RefObject, useEffect, useRef } from "react";
import { useSite } from "~/features/site/page-site";
import { ArrowLeftIcon, followedLink, SearchIcon, useHydrated } from "~/ui";
import { SEARCH_PATH } from "./library-paths";
import type { PanelPart } from "./reading-panel";
import { ReadingSettingsForm } from "./reading-settings-form";

export type ReadingBarProps = {
  /** The page's title. */
  title: string;
  /** The back link. */
  back: { to: string; label: string };
  /** The time left in a text and in the book. */
  left?: readonly string[];
  /** The id of the place where a text's reader stopped. */
  stop?: string | undefined;
  /** Opens the panel of a text, in place of the pages that the bar links to. */
  onPanel?: (part: PanelPart) => void;
};

/** The running head of a page, with the ways out of it, the time left and the settings. Scrolling down hides it. */
export function ReadingBar({ title, back, left = [], stop, onPanel }: ReadingBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const hydrated = useHydrated();
  const { title: bookTitle } = useSite();
  useHideOnScroll(bar);
  const opens = (part: PanelPart) => (event: MouseEvent) => {
    if (!onPanel || !followedLink(event.nativeEvent)) return;
    event.preventDefault();
    onPanel(part);
  };
  return (
    <div ref={bar} className="reading-bar">
      <div className="frame reading-bar-row">
        <nav aria-label="Reading room">
          <Link to={back.to} className="back-link" onClick={opens("panel-contents")}>
            <ArrowLeftIcon className="size-4" />
            {back.label}
          </Link>
        </nav>
        <div className="reading-middle">
          <p className="reading-running-head" aria-hidden="true">
            <span>{bookTitle}</span> <span>{title}</span>
          </p>
          <p className="reading-left">
            {left.map((time) => (
              <span key={time}>{time} </span>
            ))}
          </p>
        </div>
        <div className="reading-controls">
          {onPanel && (
            <>
              <Link
                to={SEARCH_PATH}
                className="reading-control"
                aria-label="Search"
                onClick={opens("panel-search")}
              >
                <SearchIcon className="size-5" />
              </Link>
              {hydrated && (
                <button
                  type="button"
                  className="reading-control reading-keys-control"
                  aria-label="Keys"
                  onClick={() => onPanel("panel-keys")}
                >
                  ?
                </button>
              )}
            </>
          )}
          <ReadingSettingsForm />
        </div>
      </div>
      {stop && (
        <nav aria-label="Where to read" className="frame reading-starts">
          <a href={`#${stop}`} className="text-link">
            Where you stopped
          </a>
          <a href="#document-title" className="text-link">
            From the beginning
          </a>
        </nav>
      )}
    </div>
  );
}

/** Minimum scroll distance that counts, in CSS pixels. */
const TOLERANCE = 8;

/** Sets `data-away` on a bar after scrolling down, which hides it, and removes it after scrolling up. */
function useHideOnScroll(bar: RefObject<HTMLElement>): void {
  useEffect(() => {
    // the page may still be scrolled to where it opens
    let before: number | null = null;
    const onScroll = () => {
      const { scrollY } = window;
      before ??= scrollY;
      if (Math.abs(scrollY - before) < TOLERANCE) return;
      bar.current?.toggleAttribute("data-away", scrollY > before);
      before = scrollY;
    };
    document.addEventListener("scroll", onScroll, { passive: true });
    return () => document.removeEventListener("scroll", onScroll);
  }, [bar]);
}
