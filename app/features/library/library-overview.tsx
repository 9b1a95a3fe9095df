import { Link } from "@remix-run/react";
import { ButtonLink } from "~/ui";
import type { ListedText, LibraryOverview as Overview, WayOn } from "./library-overview-data";
import { CHAPTERS_PATH } from "./library-paths";
import { ReadMark, TimeLeft } from "./read-mark";
import { minutesText, soundText } from "./reading-time";

/** The library in the members' area: where to continue, the chapters, and the newest extras. */
export function LibraryOverview({ overview }: { overview: Overview }) {
  const { wayOn, chapters, chapterCount, chaptersRead, minutesLeft, extras, extrasPath } = overview;
  return (
    <div className="grid gap-y-[clamp(3rem,6vw,5rem)]">
      {wayOn && <ReadOn {...wayOn} />}
      {chapters.length > 0 && (
        <section aria-labelledby="library-chapters">
          <h2 id="library-chapters" className="text-2xl">
            The chapters
          </h2>
          <p className="mt-3 text-ink-soft">
            {chaptersRead === chapterCount
              ? "You have read every one of them."
              : `You have read ${chaptersRead} of ${chapterCount}. The rest takes about ${timeText(minutesLeft)}.`}
          </p>
          <ol className="mt-6 grid gap-x-[clamp(2rem,4vw,4rem)] md:grid-cols-2">
            {chapters.map((chapter) => (
              <Row key={chapter.path} {...chapter} />
            ))}
          </ol>
          <Link to={CHAPTERS_PATH} className="text-link mt-3">
            {chapters.length < chapterCount ? `All ${chapterCount} chapters` : "The contents"}
          </Link>
        </section>
      )}
      {extras.length > 0 && (
        <section aria-labelledby="library-extras">
          <h2 id="library-extras" className="text-2xl">
            The newest extras
          </h2>
          <ul className="mt-6 grid gap-x-[clamp(2rem,4vw,4rem)] md:grid-cols-3">
            {extras.map((extra) => (
              <Row key={extra.path} {...extra} />
            ))}
          </ul>
          <Link to={extrasPath} className="text-link mt-3">
            All extras
          </Link>
        </section>
      )}
    </div>
  );
}

const HEADINGS = {
  stopped: "Continue where you stopped",
  next: "Your next chapter",
  first: "Begin at the beginning",
} as const;

const BUTTONS = { stopped: "Continue", next: "Read on", first: "Begin" } as const;

function ReadOn({ kind, path, label, title, minutes, soundMinutes }: WayOn) {
  return (
    <section
      aria-labelledby="read-on"
      className="flex flex-wrap items-center gap-x-12 gap-y-6 rounded-lg bg-paper-deep p-[clamp(1.5rem,4vw,2.5rem)] max-[20rem]:px-3"
    >
      <div className="grow basis-80">
        <h2 id="read-on" className="eyebrow">
          {HEADINGS[kind]}
        </h2>
        <p className="font-display text-2xl">{title}</p>
        <p className="mt-3 text-ink-soft">
          {label}, {minutesText(minutes)}
          {kind === "stopped" && " left"}
          {soundText(soundMinutes)}
        </p>
      </div>
      <ButtonLink to={path} variant="secondary" aria-label={`${BUTTONS[kind]}: ${title}`}>
        {BUTTONS[kind]}
      </ButtonLink>
    </section>
  );
}

function Row({ path, title, label, progress, ...lengths }: ListedText) {
  return (
    <li className="border-line border-t">
      <Link to={path} className="group block py-3">
        <span className="flex justify-between gap-4 text-ink-soft text-sm">
          {label}
          <span>
            <ReadMark progress={progress} />
            <TimeLeft {...lengths} progress={progress} />
          </span>
        </span>
        <span className="font-display text-lg underline decoration-1 decoration-line-strong underline-offset-4 group-hover:decoration-gold-text">
          {title}
        </span>
      </Link>
    </li>
  );
}

/** Formats a reading time, in hours and minutes from one hour up. */
function timeText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const parts = [
    ...(hours > 0 ? [hours === 1 ? "1 hour" : `${hours} hours`] : []),
    ...(minutes % 60 > 0 || hours === 0 ? [minutesText(minutes % 60)] : []),
  ];
  return parts.join(" and ");
}
