import type { Reading } from "./load-reading.server";
import { MarkAsRead } from "./mark-as-read";
import { NotesPage } from "./notes/notes-page";
import { ReadingPage } from "./reading-page";
import { ResumeLink } from "./resume-link";
import { SoundPlayer } from "./sound-player";
import { usePlaceKeeping } from "./use-place-keeping";

/** A chapter or extra with all that a member has beside it: sound, place, mark and notes. */
export function ReadingRoom({
  document,
  html,
  owner,
  progress,
  second,
  note,
}: Reading & { html?: string }) {
  const { slug, title, sound } = document;
  usePlaceKeeping(slug, progress.stoppedAt);
  return (
    <ReadingPage
      document={document}
      html={html}
      player={
        <>
          <ResumeLink progress={progress} className="reading-column mt-6 justify-center" />
          {sound && (
            <SoundPlayer key={slug} slug={slug} title={title} sound={sound} second={second} />
          )}
        </>
      }
    >
      <MarkAsRead slug={slug} isRead={progress.isRead} className="text-center" />
      <NotesPage key={slug} slug={slug} owner={owner} note={note} />
    </ReadingPage>
  );
}
