import { Link } from "@remix-run/react";
import { ButtonLink } from "~/ui";
import type { LibraryOverview } from "./library-overview-data";
import { CHAPTERS_PATH, E_BOOK_PATH, HIGHLIGHTS_PATH, SEARCH_PATH } from "./library-paths";
import { PODCAST_PAGE_PATH } from "./podcast-paths";
import { ReadMark, TimeLeft } from "./read-mark";
import { minutesText, soundText } from "./reading-time";

const HEADINGS = {
  stopped: "Continue where you stopped",
  next: "Your next chapter",
  first: "Begin at the beginning",
} as const;

const BUTTONS = { stopped: "Continue", next: "Read on", first: "Begin" } as const;

/** The golden card to continue reading; nothing once everything is read. */
export function ReadOn({ wayOn }: Pick<LibraryOverview, "wayOn">) {
  if (!wayOn) return null;
  const { kind, path, label, title, minutes, soundMinutes } = wayOn;
  return (
    <section
      aria-labelledby="read-on"
      className="mt-8 flex flex-wrap items-center gap-x-8 gap-y-5 rounded-lg border-2 border-gold bg-night-soft p-[clamp(1.25rem,3vw,2rem)] max-[20rem]:px-3"
    >
      <div className="grow basis-60">
        <h2 id="read-on" className="font-display text-gold text-lg">
          {HEADINGS[kind]}
        </h2>
        <p className="font-display text-2xl">{title}</p>
        <p className="mt-2 text-mist">
          {label}, {minutesText(minutes)}
          {kind === "stopped" && " left"}
          {soundText(soundMinutes)}
        </p>
      </div>
      <ButtonLink to={path} aria-label={`${BUTTONS[kind]}: ${title}`}>
        {BUTTONS[kind]}
      </ButtonLink>
    </section>
  );
}

/** How many chapters there are or are read, how long the rest takes, and the way to them. */
export function ChaptersCard({ overview }: { overview: LibraryOverview | null }) {
  return (
    <>
      {overview && overview.chapterCount > 0 && <p>{progressText(overview)}</p>}
      <CardLink to={CHAPTERS_PATH}>Read the chapters</CardLink>
    </>
  );
}

/** The newest extras, and the way to all. */
export function ExtrasCard({ overview }: { overview: LibraryOverview | null }) {
  const { extras, extrasPath } = overview ?? { extras: [], extrasPath: CHAPTERS_PATH };
  return (
    <>
      {extras.length === 0 && <p>Audio, exercises and background, added as they come out.</p>}
      <ul>
        {extras.map(({ path, title, label, progress, ...lengths }) => (
          <li key={path}>
            <Link to={path} className="group block py-2">
              <span className="text-ink underline decoration-1 decoration-line-strong underline-offset-4 group-hover:decoration-gold-text">
                {title}
              </span>
              <span className="flex flex-wrap gap-x-3 text-sm">
                {label}
                <ReadMark progress={progress} />
                <TimeLeft {...lengths} progress={progress} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <CardLink to={extrasPath}>See the extras</CardLink>
    </>
  );
}

const TOOLS = [
  { label: "E-book", path: E_BOOK_PATH },
  { label: "Podcast", path: PODCAST_PAGE_PATH },
  { label: "Notes", path: HIGHLIGHTS_PATH },
  { label: "Search", path: SEARCH_PATH },
];

/** The book in other forms, the member's notes, and the search. */
export function LibraryTools() {
  return (
    <nav aria-label="Your library" className="mt-[clamp(2rem,5vw,4rem)]">
      <ul className="flex flex-wrap gap-x-[clamp(1.5rem,6vw,4rem)] border-line border-y py-2">
        {TOOLS.map(({ label, path }) => (
          <li key={path}>
            <Link to={path} className="text-link">
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A link at the foot of a card, even if the card's text is short. */
function CardLink({ to, children }: { to: string; children: string }) {
  return (
    <Link to={to} className="text-link mt-auto pt-3 text-ink">
      {children}
    </Link>
  );
}

/** Numbers that are written as words. */
const NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split(" ");

/** Returns a sentence on the chapters; a line without a verb for somebody who has read none. */
function progressText({ chapterCount, chaptersRead, minutesLeft }: LibraryOverview): string {
  const [all, read] = [chapterCount, chaptersRead].map((count) => NUMBERS[count] ?? `${count}`);
  const chapters = `${all} ${chapterCount === 1 ? "chapter" : "chapters"}`;
  if (chaptersRead === chapterCount) return `You’ve read all of the ${chapters}.`;
  const time = timeText(minutesLeft);
  if (chaptersRead > 0) return `You’ve read ${read} of ${chapters}. The rest takes about ${time}.`;
  return `${chapters[0]?.toUpperCase()}${chapters.slice(1)}, about ${time}`;
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
