import type { TextProgress } from "./reading-state";
import { minutesText } from "./reading-time";

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
