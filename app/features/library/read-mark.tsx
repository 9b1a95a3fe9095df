import { CheckIcon } from "~/ui/icons";
import type { TextProgress } from "./reading-state";

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
