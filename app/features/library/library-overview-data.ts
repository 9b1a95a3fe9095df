import type { TextProgress } from "./reading-state";

/** An extra with its reader's progress. */
export type ListedText = {
  path: string;
  title: string;
  /** The extra's kind. */
  label: string;
  /** For the whole text. */
  minutes: number;
  /** Of its sound; null without one. */
  soundMinutes: number | null;
  progress: TextProgress;
};

/** Where to continue reading. */
export type WayOn = {
  /** Where reading stopped, the next unread chapter, or the first chapter. */
  kind: "stopped" | "next" | "first";
  /** Path of the text, with the block where reading stopped. */
  path: string;
  title: string;
  /** Label above the title, such as `Chapter 3`. */
  label: string;
  /** For the rest of the text. */
  minutes: number;
  /** Of its sound; null without one. */
  soundMinutes: number | null;
};

/** The library in the members' area. */
export type LibraryOverview = {
  /** Null once everything is read. */
  wayOn: WayOn | null;
  chapterCount: number;
  chaptersRead: number;
  /** For the rest of all chapters. */
  minutesLeft: number;
  /** The newest extras. */
  extras: ListedText[];
  /** Path of the extras in the contents. */
  extrasPath: string;
};
