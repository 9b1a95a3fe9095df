import { Link } from "@remix-run/react";
import { type ReactNode, useId } from "react";
import { ArrowLeftIcon, Button } from "~/ui";
import { HIGHLIGHTS_PATH, newHighlightPath, SAVE_HIGHLIGHT_PATH } from "../library-paths";
import { COLORS, type HighlightView, MAX_PASSAGE_NOTE_LENGTH } from "./highlight";
import type { Sentence } from "./sentences";

/** What the page of a new highlight shows of a text. */
export type NewHighlight = {
  /** The id that the highlight gets. */
  id: string;
  slug: string;
  renderKey: string;
  title: string;
  path: string;
  /** Counted from 1. */
  block: number;
  blockCount: number;
  sentences: Sentence[];
};

/** The page that highlights sentences of a block: by keyboard, with screen readers, and without JavaScript. */
export function NewHighlightPage(text: NewHighlight) {
  const { id, slug, renderKey, title, path, block, blockCount, sentences } = text;
  return (
    <FormPage heading="Highlight a passage" back={{ to: path, label: title }}>
      <nav aria-label="Paragraphs" className="mt-4 flex flex-wrap gap-x-6">
        {block > 1 && (
          <Link to={newHighlightPath(slug, block - 1)} className="text-link">
            Previous paragraph
          </Link>
        )}
        {block < blockCount && (
          <Link to={newHighlightPath(slug, block + 1)} className="text-link">
            Next paragraph
          </Link>
        )}
      </nav>
      <form key={id} method="post" action={SAVE_HIGHLIGHT_PATH} className="mt-6 grid gap-6">
        <input type="hidden" name="intent" value="add" />
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="slug" value={slug} />
        <input type="hidden" name="renderKey" value={renderKey} />
        <fieldset>
          <legend className="field-label">
            Sentences in paragraph {block} of {blockCount}; the highlight runs from the first to the
            last you check
          </legend>
          {sentences.map(({ start, end, text }, index) => (
            <label key={start} className="highlight-choice">
              <input
                type="checkbox"
                name="passage"
                value={`${start}-${end}`}
                defaultChecked={index === 0}
              />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
        <HighlightFields color={1} note="" />
        <div>
          <Button type="submit">Save highlight</Button>
        </div>
      </form>
    </FormPage>
  );
}

/** The page that changes or deletes a highlight. */
export function ChangeHighlightPage({
  highlight,
  text,
}: {
  highlight: HighlightView;
  /** Where the way back leads. */
  text: { title: string; path: string };
}) {
  const { id, quote, color, note } = highlight;
  return (
    <FormPage heading="Change this highlight" back={{ to: text.path, label: text.title }}>
      <Passage quote={quote} color={color} note="" />
      <form method="post" action={SAVE_HIGHLIGHT_PATH} className="mt-6 grid gap-6">
        <input type="hidden" name="intent" value="change" />
        <input type="hidden" name="id" value={id} />
        <HighlightFields color={color} note={note} />
        <div>
          <Button type="submit">Save highlight</Button>
        </div>
      </form>
      <DeleteHighlight id={id} />
    </FormPage>
  );
}

/** A button that deletes a highlight. `redirectTo` is the page to return to, its text if left out. */
export function DeleteHighlight({ id, redirectTo }: { id: string; redirectTo?: string }) {
  return (
    <form method="post" action={SAVE_HIGHLIGHT_PATH}>
      <input type="hidden" name="intent" value="delete" />
      <input type="hidden" name="id" value={id} />
      {redirectTo && <input type="hidden" name="redirectTo" value={redirectTo} />}
      <Button type="submit" variant="quiet">
        Delete
      </Button>
    </form>
  );
}

/** A highlighted passage as in its text, and the note on it. */
export function Passage({ quote, color, note }: Omit<HighlightView, "id">) {
  return (
    <>
      <blockquote className="highlight-quote" dir="auto">
        <mark className={`highlight highlight-${color}`}>{quote}</mark>
      </blockquote>
      {note && (
        <p className="mt-2 whitespace-pre-line" dir="auto">
          {note}
        </p>
      )}
    </>
  );
}

function HighlightFields({ color, note }: { color: number; note: string }) {
  return (
    <>
      <fieldset>
        <legend className="field-label">Color</legend>
        <div className="flex flex-wrap gap-x-6">
          {Object.entries(COLORS).map(([value, name]) => (
            <label key={value} className="highlight-choice">
              <input
                type="radio"
                name="color"
                value={value}
                defaultChecked={value === String(color)}
              />
              <span className={`highlight highlight-${value}`}>{name}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <NoteField note={note} />
    </>
  );
}

/** The field for the note on a passage. */
export function NoteField({ note, autoFocus }: { note: string; autoFocus?: boolean }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="field-label">
        Note
      </label>
      <textarea
        id={id}
        name="note"
        rows={4}
        maxLength={MAX_PASSAGE_NOTE_LENGTH}
        className="field-input highlight-note"
        dir="auto"
        defaultValue={note}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: only where its button has just been pressed
        autoFocus={autoFocus}
      />
    </div>
  );
}

type FormPageProps = {
  heading: string;
  back: { to: string; label: string };
  children: ReactNode;
};

function FormPage({ heading, back, children }: FormPageProps) {
  return (
    <div className="frame column-page">
      <Link to={back.to} className="back-link">
        <ArrowLeftIcon className="size-4" />
        {back.label}
      </Link>
      <h1 className="page-heading mt-6">{heading}</h1>
      {children}
      <p className="mt-8">
        <Link to={HIGHLIGHTS_PATH} className="text-link">
          All highlights
        </Link>
      </p>
    </div>
  );
}
