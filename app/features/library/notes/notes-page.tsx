import { type FormEvent, useRef } from "react";
import { Button, useHydrated } from "~/ui";
import { NOTES_FILE_PATH, NOTES_PATH } from "../library-paths";
import type { Note } from "./note";
import { useNoteSaving } from "./use-note-saving";

/** Lines that a browser which cannot size the area by its text shows at least and at most. */
const ROWS = { least: 8, most: 40, charactersPerLine: 60 };

type NotesPageProps = {
  /** The text that the notes are about. */
  slug: string;
  /** The id of the signed-in member. */
  owner: string;
  note: Note;
};

/** The page left blank for a member's notes at the end of a text. Give it its slug as `key`. */
export function NotesPage({ slug, owner, note }: NotesPageProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const hydrated = useHydrated();
  const { state, onInput, saveNow } = useNoteSaving(area, { slug, owner, note });
  const onSubmit = (event: FormEvent) => {
    if (saveNow()) event.preventDefault();
  };
  return (
    <div id="notes" className="notes-page">
      <form method="post" action={NOTES_PATH} onSubmit={onSubmit}>
        <input type="hidden" name="slug" value={slug} />
        <input type="hidden" name="owner" value={owner} />
        <input type="hidden" name="version" value={note.version} />
        <label htmlFor="notes-text" className="notes-label">
          Your notes
        </label>
        <textarea
          ref={area}
          id="notes-text"
          name="text"
          className="notes-text"
          // notes may be in a language that is written from right to left
          dir="auto"
          // while hydrating, React would set the value it knows over what was typed before
          defaultValue={hydrated || typeof document === "undefined" ? note.text : undefined}
          rows={rowsOf(note.text)}
          // a browser that restores an older text would save it over a newer one
          autoComplete="off"
          onInput={onInput}
        />
        <div className="notes-foot">
          <Button type="submit" variant="secondary">
            {state.signedOut ? "Sign in and save" : "Save notes"}
          </Button>
          <p role="status" className="notes-status">
            {state.message}
          </p>
          <a href={NOTES_FILE_PATH} download className="text-link notes-file">
            All your notes as a file
          </a>
        </div>
      </form>
    </div>
  );
}

function rowsOf(text: string): number {
  const { least, most, charactersPerLine } = ROWS;
  let rows = 1;
  for (const line of text.split("\n"))
    rows += Math.max(1, Math.ceil(line.length / charactersPerLine));
  return Math.min(most, Math.max(least, rows));
}
