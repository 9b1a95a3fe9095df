import { useNavigate } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import * as toasts from "~/toast-messages";
import { Button, postJson, toastOf, useToast } from "~/ui";
import { TextHighlightsSection } from "./highlights/text-highlights";
import { blockId, MARK_AS_READ_ID, PROGRESS_PATH } from "./library-paths";
import type { Reading } from "./load-reading.server";
import { NotesPage } from "./notes/notes-page";
import { ReadingPage } from "./reading-page";
import type { TextProgress } from "./reading-state";
import { SoundPlayer } from "./sound-player";
import { useReadingPosition } from "./use-reading-position";

/** A chapter or extra with the member's sound position, reading position, read mark and notes. */
export function ReadingRoom({
  document,
  html,
  owner,
  progress,
  second,
  note,
  highlights,
}: Reading & { html?: string }) {
  const { slug, title, sound } = document;
  useReadingPosition(slug, progress.stoppedAt);
  return (
    <ReadingPage
      document={document}
      html={html}
      player={
        <>
          <ResumeLink progress={progress} />
          {sound && (
            <SoundPlayer key={slug} slug={slug} title={title} sound={sound} second={second} />
          )}
        </>
      }
    >
      <MarkAsRead key={slug} slug={slug} isRead={progress.isRead} />
      <TextHighlightsSection slug={slug} block={progress.stoppedAt ?? 1} highlights={highlights} />
      <NotesPage key={slug} slug={slug} owner={owner} note={note} />
    </ReadingPage>
  );
}

/**
 * A line above a text that links to where its reader stopped, perhaps on another device. Renders nothing if that is on
 * the first screen.
 */
function ResumeLink({ progress }: { progress: TextProgress }) {
  if (progress.stoppedAt === null) return null;
  return (
    <p className="reading-column mt-6 flex flex-wrap items-center justify-center gap-x-1.5 text-ink-soft text-sm print:hidden">
      You stopped further down:{" "}
      <a href={`#${blockId(progress.stoppedAt)}`} className="text-link">
        continue there
      </a>
    </p>
  );
}

/**
 * The button at a text's end that marks it as read or unread: at once with JavaScript, by POST and redirect without.
 * Pass the slug as `key`.
 */
function MarkAsRead({ slug, isRead }: { slug: string; isRead: boolean }) {
  const toast = useToast();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isMarked = chosen ?? isRead;
  const action = isMarked ? "unread" : "read";

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setChosen(!isMarked);
    const answer = await postJson(PROGRESS_PATH, { slug, action });
    setBusy(false);
    if (answer.status === 403) return navigate(String(answer.body.redirectTo ?? "/"));
    if (!answer.ok) setChosen(isMarked);
    toast(toastOf(answer, toasts.progressFailed));
  };

  return (
    <form
      id={MARK_AS_READ_ID}
      method="post"
      action={PROGRESS_PATH}
      onSubmit={submit}
      className="text-center print:hidden"
    >
      <input type="hidden" name="slug" value={slug} />
      <input type="hidden" name="action" value={action} />
      <Button type="submit" variant={isMarked ? "secondary" : "primary"} busy={busy}>
        {isMarked ? "Mark as unread" : "Mark as read"}
      </Button>
    </form>
  );
}
