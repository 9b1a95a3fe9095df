import { Link } from "@remix-run/react";
import { type RefObject, useEffect, useRef } from "react";
import { useSite } from "~/features/site/page-site";
import { ArrowLeftIcon } from "~/ui";
import { ReadingSettingsForm } from "./reading-settings-form";

type ReadingBarProps = {
  /** The page's title. */
  title: string;
  /** The back link. */
  back: { to: string; label: string };
};

/** The running head of a page, with the back link and the settings. Scrolling down hides it. */
export function ReadingBar({ title, back }: ReadingBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const { title: bookTitle } = useSite();
  useHideOnScroll(bar);
  return (
    <div ref={bar} className="reading-bar">
      <div className="frame reading-bar-row">
        <nav aria-label="Reading room">
          <Link to={back.to} className="back-link">
            <ArrowLeftIcon className="size-4" />
            {back.label}
          </Link>
        </nav>
        <p className="reading-running-head" aria-hidden="true">
          <span>{bookTitle}</span> <span>{title}</span>
        </p>
        <ReadingSettingsForm />
      </div>
    </div>
  );
}

/** Minimum scroll distance that counts, in CSS pixels. */
const TOLERANCE = 8;

/** Sets `data-away` on a bar after scrolling down, which hides it, and removes it after scrolling up. */
function useHideOnScroll(bar: RefObject<HTMLElement>): void {
  useEffect(() => {
    let before = window.scrollY;
    const onScroll = () => {
      const { scrollY } = window;
      if (Math.abs(scrollY - before) < TOLERANCE) return;
      bar.current?.toggleAttribute("data-away", scrollY > before);
      before = scrollY;
    };
    document.addEventListener("scroll", onScroll, { passive: true });
    return () => document.removeEventListener("scroll", onScroll);
  }, [bar]);
}
