import { blockId } from "./library-paths";
import type { TextProgress } from "./reading-state";

type ResumeLinkProps = {
  progress: TextProgress;
  className?: string;
};

/**
 * The line above a text with a link to where its reader stopped, perhaps on another device; nothing if that is on
 * the first screen.
 */
export function ResumeLink({ progress, className = "" }: ResumeLinkProps) {
  if (progress.stoppedAt === null) return null;
  return (
    <p
      className={`flex flex-wrap items-center gap-x-1.5 text-ink-soft text-sm print:hidden ${className}`}
    >
      You stopped further down:{" "}
      <a href={`#${blockId(progress.stoppedAt)}`} className="text-link">
        continue there
      </a>
    </p>
  );
}
