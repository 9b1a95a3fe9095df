import type { TextProgress } from "./reading-state";

/** A chapter or extra with how far its reader is. */
export type ListedText = {
  path: string;
  title: string;
  /** A chapter's number, or what kind of extra it is. */
  label: string;
  /** For the whole text. */
  minutes: number;
  progress: TextProgress;
};

/** Where to read on. */
export type WayOn = {
  /** Where reading stopped, the next chapter that is not read, or the first one of all. */
  kind: "stopped" | "next" | "first";
  /** Of the text, with the block where reading stopped. */
  path: string;
  title: string;
  /** What stands above the title, such as `Chapter 3`. */
  label: string;
  /** For the rest of the text. */
  minutes: number;
};

/** What the members' area shows of the library. */
export type LibraryOverview = {
  /** Null once all is read. */
  wayOn: WayOn | null;
  /** Those around the position of the reader. */
  chapters: ListedText[];
  chapterCount: number;
  chaptersRead: number;
  /** For the rest of all chapters. */
  minutesLeft: number;
  /** The newest ones. */
  extras: ListedText[];
  /** Where the contents list all of them. */
  extrasPath: string;
};
