import { type FormEvent, type RefObject, useRef, useState } from "react";
import { postJson, useBrowserLayoutEffect } from "~/ui";
import type { Letter } from "./letter";
import { letterPath } from "./letter-paths";

/** After the last key, and before another try, in milliseconds. */
const PAUSE_MS = 1_000;
const RETRY_MS = 10_000;

/** Answers that another try does not change: the form itself is posted then, and its page says more. */
const FINAL = [401, 409, 410];

const FAILED =
  "Not saved: the site can’t be reached, or you’re logged out. It’s tried again every ten seconds.";

type Options = {
  form: RefObject<HTMLFormElement>;
  letter: Letter;
  /** Whether the page shows a conflict, which its author decides. */
  isHeld: boolean;
  onSaved: () => void;
};

/**
 * Saves a letter's form a second after the last key, and before one of its buttons leaves the page, so that a failure costs
 * nothing that was typed. Returns the letter as it was saved last, and how the saving stands; "" for saved.
 */
export function useLetterSaving({ form, letter, isHeld, onSaved }: Options) {
  const [saved, setSaved] = useState(letter);
  const [status, setStatus] = useState("");
  const now = useRef({ isHeld, isChanged: false, isSaving: false }).current;
  /** What was sent without an answer: it may be stored, so it is sent again before anything newer. */
  const unanswered = useRef<Record<string, unknown> | null>(null);
  const version = useRef(letter.version);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  /** The button that was pressed, until what was typed is saved. */
  const pressed = useRef<HTMLButtonElement | null>(null);

  async function save(): Promise<void> {
    clearTimeout(timer.current);
    if (!form.current || !now.isChanged || now.isSaving || now.isHeld) return;
    Object.assign(now, { isChanged: false, isSaving: true });
    const typed = Object.fromEntries(new FormData(form.current));
    const fields = unanswered.current ?? { ...typed, version: version.current };
    const answer = await postJson(`${letterPath(letter.id)}/preview`, fields);
    Object.assign(now, {
      isSaving: false,
      isChanged: now.isChanged || unanswered.current !== null,
    });
    unanswered.current = null;
    if (answer.ok) return finish(answer.body.letter as Letter);
    now.isChanged = true;
    now.isHeld = FINAL.includes(answer.status);
    if (!now.isHeld) unanswered.current = fields;
    setStatus(now.isHeld ? `Not saved. ${answer.body.message}` : FAILED);
    if (!now.isHeld) timer.current = setTimeout(() => void save(), RETRY_MS);
    pressed.current = null;
  }

  function finish(stored: Letter): void {
    setSaved(stored);
    version.current = stored.version;
    onSaved();
    if (now.isChanged) return void save();
    setStatus("");
    if (pressed.current && pressed.current.value !== "save") {
      form.current?.requestSubmit(pressed.current);
    }
    pressed.current = null;
  }

  const onInput = () => {
    now.isChanged = true;
    if (now.isHeld) return;
    setStatus("Not saved yet.");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void save(), PAUSE_MS);
  };

  const onSubmit = (event: FormEvent) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (now.isHeld || !(submitter instanceof HTMLButtonElement)) return;
    if (submitter.value !== "save" && !now.isChanged && !now.isSaving) return;
    event.preventDefault();
    pressed.current = submitter;
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

  return { saved, status, onInput, onSubmit };
}
