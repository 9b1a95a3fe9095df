import { CheckIcon } from "~/ui";
import type { TextProgress } from "./reading-state";
import { minutesText } from "./reading-time";

/** The mark of a text that is read; nothing for any other. */
export function ReadMark({ progress }: { progress: TextProgress }) {
  if (!progress.isRead) return null;
  return (
    <span className="whitespace-nowrap">
      <CheckIcon className="mr-1 inline size-4 align-[-0.15em] text-gold-text" />
      Read
    </span>
  );
}

type TimeLeftProps = {
  /** For the whole text. */
  minutes: number;
  progress: TextProgress;
};

/** How long a text takes, or the rest of one that is begun; nothing for one that is read. */
export function TimeLeft({ minutes, progress: { isRead, minutesLeft } }: TimeLeftProps) {
  if (isRead) return null;
  return (
    <span>{minutesLeft === null ? minutesText(minutes) : `${minutesText(minutesLeft)} left`}</span>
  );
}
