import { CheckIcon } from "~/ui";
import type { TextProgress } from "./reading-state";
import { minutesText } from "./reading-time";

/** The mark of a read text; renders nothing for others. */
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

/** The reading time of a text, or of the rest if it is begun; renders nothing for a read text. */
export function TimeLeft({ minutes, progress: { isRead, minutesLeft } }: TimeLeftProps) {
  if (isRead) return null;
  return (
    <span>{minutesLeft === null ? minutesText(minutes) : `${minutesText(minutesLeft)} left`}</span>
  );
}
