import { type FormEvent, useRef, useState } from "react";
import type { FormProblem } from "~/http/form-refusal";
import { postJson, useBrowserLayoutEffect } from "~/ui";
import { AUTOSAVE_PATH } from "./desk-paths";

/** After the last key, and before another try, in milliseconds. */
const PAUSE_MS = 1_000;
const RETRY_MS = 10_000;

/** What is said where another try changes nothing, by the answer's status. The form itself is posted then, and its page says more. */
const FINAL: Record<number, string> = {
  401: "Not saved. Press “Save draft”, and confirm that it’s you.",
  409: "Not saved: another author has changed it. “Save draft” keeps yours, and shows you both.",
};

const FAILED =
  "Not saved: the site can’t be reached, or you’re logged out. It’s tried again every ten seconds.";

/** The answer to a save: the draft's new version, and the mistakes that its page lists. */
export type SavedDraft = { version: number; problems?: FormProblem[] };

type Options = {
  /** Names the draft for `AUTOSAVE_PATH`. */
  draft: { letter: string } | { file: string };
  version: string;
  /** Whether the page shows a conflict, which its author decides by a button. */
  isHeld: boolean;
  onSaved: (saved: SavedDraft) => void;
};

/**
 * Saves a draft's form a second after the last key, and before one of its buttons leaves the page, so that a failure costs
 * nothing that was typed. Returns the form's `ref` and handlers, and what to tell the author; null before anything is typed.
 */
export function useAutosave({ draft, version, isHeld, onSaved }: Options) {
  const form = useRef<HTMLFormElement>(null);
  const [status, setStatus] = useState<string | null>(null);
  const now = useRef({ version, isHeld, isChanged: false, isSaving: false }).current;
  /** What was sent without an answer: it may be stored, so it is sent again before anything newer. */
  const unanswered = useRef<Record<string, unknown> | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  /** The button that was pressed, until what was typed is saved. */
  const pressed = useRef<HTMLButtonElement | null>(null);

  async function save(): Promise<void> {
    clearTimeout(timer.current);
    if (!form.current || !now.isChanged || now.isSaving || now.isHeld) return;
    const typed = { ...Object.fromEntries(new FormData(form.current)), ...draft };
    const sent = unanswered.current ?? { ...typed, version: now.version };
    Object.assign(now, { isChanged: sent === unanswered.current, isSaving: true });
    unanswered.current = null;
    const { ok, status, body } = await postJson(AUTOSAVE_PATH, sent);
    now.isSaving = false;
    if (ok) return finish(body as SavedDraft);
    now.isChanged = true;
    now.isHeld = status in FINAL;
    pressed.current = null;
    setStatus(FINAL[status] ?? FAILED);
    if (now.isHeld) return;
    unanswered.current = sent;
    timer.current = setTimeout(save, RETRY_MS);
  }

  function finish(saved: SavedDraft): void {
    now.version = String(saved.version);
    onSaved(saved);
    if (now.isChanged) return void save();
    setStatus("Draft saved");
    const button = pressed.current;
    pressed.current = null;
    if (button && button.value !== "save") form.current?.requestSubmit(button);
  }

  const onInput = () => {
    now.isChanged = true;
    if (now.isHeld) return;
    setStatus("Not saved yet.");
    clearTimeout(timer.current);
    timer.current = setTimeout(save, PAUSE_MS);
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const field = event.currentTarget.elements.namedItem("version") as HTMLInputElement;
    field.value = now.version;
    if (now.isHeld || !(now.isChanged || now.isSaving)) return;
    event.preventDefault();
    pressed.current = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement;
    void save();
  };

  // before the form is taken off the page
  useBrowserLayoutEffect(() => {
    const leave = () => void save();
    document.addEventListener("visibilitychange", leave);
    return () => {
      document.removeEventListener("visibilitychange", leave);
      leave();
    };
  }, []);

  return { status, form: { ref: form, onInput, onSubmit } };
}
