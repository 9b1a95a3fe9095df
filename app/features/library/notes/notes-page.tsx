import { type FormEvent, useEffect, useRef } from "react";
import { Button, useHydrated } from "~/ui";
import { NOTES_FILE_PATH, NOTES_PATH } from "../library-paths";
import type { Note } from "./note";
import { useNoteSaving } from "./use-note-saving";

/** Minimum and maximum rows in browsers that cannot size the area by its text. */
const ROWS = { least: 8, most: 40, charactersPerLine: 60 };

type NotesPageProps = {
  /** Slug of the text. */
  slug: string;
  /** The id of the signed-in member. */
  owner: string;
  note: Note;
};

/** The page for a member's notes at the end of a text. Pass the slug as `key`. */
export function NotesPage({ slug, owner, note }: NotesPageProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const printed = useRef<HTMLDivElement>(null);
  const hydrated = useHydrated();
  const { state, onInput, saveNow } = useNoteSaving(area, { slug, owner, note });
  useEffect(() => {
    const copy = () => {
      if (printed.current && area.current) printed.current.textContent = area.current.value;
    };
    window.addEventListener("beforeprint", copy);
    return () => window.removeEventListener("beforeprint", copy);
  }, []);
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
          // notes may be in a right-to-left language
          dir="auto"
          // React would replace what was typed before hydration
          defaultValue={hydrated || typeof document === "undefined" ? note.text : undefined}
          rows={rowsOf(note.text)}
          // a browser that restores an older text would overwrite a newer one
          autoComplete="off"
          onInput={onInput}
        />
        <div className="notes-foot">
          <Button type="submit" variant="secondary">
            {state.signedOut ? "Log in and save" : "Save notes"}
          </Button>
          <p role="status" className="notes-status">
            {state.message}
          </p>
          <a href={NOTES_FILE_PATH} download className="text-link notes-file">
            Download all your notes
          </a>
        </div>
      </form>
      {/* forms are not printed, and a text area would be cut */}
      <div ref={printed} className="notes-printed" dir="auto">
        {note.text}
      </div>
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
