import { CheckIcon } from "~/ui";
import type { TextProgress } from "./reading-state";
import { minutesText, soundText } from "./reading-time";

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
  /** Of its sound, if there is one. */
  soundMinutes: number | null;
  progress: TextProgress;
};

/** The reading time of a text, or of the rest if it is begun, and the length of its sound. A read text has only that. */
export function TimeLeft({ minutes, soundMinutes, progress }: TimeLeftProps) {
  const { isRead, minutesLeft } = progress;
  const rest = minutesLeft === null ? minutesText(minutes) : `${minutesText(minutesLeft)} left`;
  return (
    <span>
      {!isRead && rest}
      {soundText(soundMinutes)}
    </span>
  );
}
