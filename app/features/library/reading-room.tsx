import { useLocation, useNavigate } from "@remix-run/react";
import { type FormEvent, useRef, useState } from "react";
import * as toasts from "~/toast-messages";
import { Button, CheckIcon, postJson, toastOf, useToast } from "~/ui";
import { TextHighlightsSection } from "./highlights/text-highlights";
import { HitSteps } from "./hit-steps";
import { blockId, CHAPTERS_PATH, hitId, MARK_AS_READ_ID, PROGRESS_PATH } from "./library-paths";
import type { Reading } from "./load-reading.server";
import { NewTextsForm } from "./new-texts/new-texts-form";
import { NotesPage } from "./notes/notes-page";
import { ReadingPage } from "./reading-page";
import { openPanel, ReadingPanel } from "./reading-panel";
import { textProgress } from "./reading-state";
import { shortTime } from "./reading-time";
import { SoundPlayer } from "./sound-player";
import { useReadingKeys } from "./use-reading-keys";
import { isAtBeginning, isAtEnd, useReadingPosition } from "./use-reading-position";

/**
 * A chapter or extra with the member's sound position, reading position, read mark and notes. Its end marks it as read
 * (`useReadingPosition`), and so does going on to the next text. A page that marks the words of a search never does so
 * by itself, and after "Mark as unread" the text is to be read again. Pass the slug as `key`.
 */
export function ReadingRoom({
  document,
  html,
  owner,
  progress,
  ...reading
}: Reading & { html?: string }) {
  const { slug, id, title, sound, path, previous, next } = document;
  const { minutesElsewhere, chapters, justRead, hits, second, note, newTexts } = reading;
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const panel = useRef<HTMLDialogElement>(null);
  const isDeclined = useRef(hash === `#${MARK_AS_READ_ID}`);
  const read = useReadMark(slug, progress.isRead);
  const block = useReadingPosition(slug, {
    stoppedAt: progress.stoppedAt,
    startsOver: hash === "#document-title",
    isDeclined,
    onEnd: () => {
      if (search === "" && !isDeclined.current && !read.isMarked) void read.mark("read", true);
    },
  });
  const goOn = async () => {
    if (!read.isMarked) await read.mark("read", true);
    navigate(next?.path ?? CHAPTERS_PATH);
  };
  const turnForward = () => isAtEnd() && next !== null && goOn();
  const turnBack = () => isAtBeginning() && previous !== null && navigate(previous.path);
  const isRightToLeft = document.dir === "rtl";
  useReadingKeys({
    ArrowRight: isRightToLeft ? turnBack : turnForward,
    ArrowLeft: isRightToLeft ? turnForward : turnBack,
    "/": () => openPanel(panel, "panel-search"),
    "?": () => openPanel(panel, "panel-keys"),
  });

  const rest = block === null ? progress : textProgress(document, { isRead: false, block });
  const minutesHere = read.isMarked ? 0 : (rest.minutesLeft ?? document.minutes);
  const minutesInBook = minutesElsewhere + (document.kind === "chapter" ? minutesHere : 0);
  const isSearch = hits !== null && hits.query !== "";
  const stop = progress.stoppedAt === null ? undefined : blockId(progress.stoppedAt);
  return (
    <ReadingPage
      document={document}
      html={html}
      opensAt={isSearch ? hitId(1) : stop}
      stop={stop}
      onPanel={(part) => openPanel(panel, part)}
      left={[
        minutesHere === 0 ? "Read" : `${shortTime(minutesHere)} left`,
        minutesInBook === 0 ? "Book read" : `${shortTime(minutesInBook)} in book`,
      ]}
      player={
        <>
          <ReadingPanel panel={panel} document={document} chapters={chapters} />
          {justRead && <JustRead {...justRead} />}
          {sound && (
            <SoundPlayer key={slug} slug={slug} title={title} sound={sound} second={second} />
          )}
        </>
      }
      steps={isSearch && <HitSteps hits={hits} path={path} />}
      end={
        <MarkAsRead
          slug={slug}
          {...read}
          onUnread={() => {
            isDeclined.current = true;
          }}
        />
      }
      onNext={progress.isRead ? null : goOn}
    >
      <TextHighlightsSection slug={slug} block={block ?? 1} highlights={reading.highlights} />
      <NotesPage key={id} slug={id} owner={owner} note={note} />
      {newTexts !== null && (
        <div className="reading-column mt-12 text-center">
          <NewTextsForm isOn={newTexts} redirectTo={`${path}#new-texts`} />
        </div>
      )}
    </ReadingPage>
  );
}

/** Whether a text is marked as read, and how to change it. A quiet change shows no toast. */
function useReadMark(slug: string, isRead: boolean) {
  const toast = useToast();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState({ isMarked: isRead, isQuiet: false });

  const mark = async (action: "read" | "unread", isQuiet = false) => {
    if (busy) return;
    setBusy(true);
    setChosen({ isMarked: action === "read", isQuiet });
    const answer = await postJson(PROGRESS_PATH, { slug, action }, true);
    setBusy(false);
    if (!answer.ok) setChosen(chosen);
    if (isQuiet) return;
    if (answer.status === 403) return navigate(String(answer.body.redirectTo ?? "/"));
    toast(toastOf(answer, toasts.progressFailed));
  };
  return { ...chosen, busy, mark };
}

type MarkAsReadProps = ReturnType<typeof useReadMark> & { slug: string; onUnread: () => void };

/** Whether a text is read, at its end, with the button that changes it. */
function MarkAsRead({ onUnread, ...read }: MarkAsReadProps) {
  const { isMarked, isQuiet } = read;
  return (
    <MarkForm
      {...read}
      id={MARK_AS_READ_ID}
      onSubmit={isMarked ? onUnread : undefined}
      said={isMarked && "Read"}
    >
      {isMarked ? (isQuiet ? "Undo" : "Mark as unread") : "Mark as read"}
    </MarkForm>
  );
}

/** A line above a text after its reader has gone on to it, with a way to take that back. */
function JustRead({ slug, label }: { slug: string; label: string }) {
  const read = useReadMark(slug, true);
  const said = `${label} is marked as ${read.isMarked ? "read" : "unread"}`;
  return (
    <MarkForm {...read} slug={slug} said={said}>
      {read.isMarked ? "Undo" : "Mark as read"}
    </MarkForm>
  );
}

type MarkFormProps = Omit<ReturnType<typeof useReadMark>, "isQuiet"> & {
  id?: string;
  slug: string;
  onSubmit?: (() => void) | undefined;
  said: string | false;
  children: string;
};

/** Marks a text as read or unread: at once with JavaScript, by POST and redirect without. */
function MarkForm({ id, slug, isMarked, busy, mark, onSubmit, said, children }: MarkFormProps) {
  const action = isMarked ? "unread" : "read";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
    void mark(action);
  };
  return (
    <form id={id} method="post" action={PROGRESS_PATH} onSubmit={submit} className="reading-mark">
      <input type="hidden" name="slug" value={slug} />
      <input type="hidden" name="action" value={action} />
      <p role="status">
        {said && (
          <>
            <CheckIcon className="mr-1 inline size-4 align-[-0.15em] text-gold-text" />
            {said}
          </>
        )}
      </p>
      <Button type="submit" variant="secondary" busy={busy}>
        {children}
      </Button>
    </form>
  );
}
