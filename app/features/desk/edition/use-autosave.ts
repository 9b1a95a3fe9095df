import { type FormEvent, useRef, useState } from "react";
import { AUTOSAVE_PATH } from "./edition-paths";

/** How long after the last key what is typed is saved, in milliseconds. */
const PAUSE_MS = 1_000;

const CONFLICT = "Not saved: somebody else has changed this text. “Save draft” shows you both.";
const LOCKED = "Not saved: enter your password again in another tab. Your text is still here.";
const FAILED = "Not saved: the site can’t be reached. Your text is still here.";

/**
 * Saves an editor's form as the draft of `file` while its author types, and calls `onSaved`. A failure leaves the page as it is, and
 * the next key tries again. Returns the form's handlers and what to tell the author; null before anything is typed.
 */
export function useAutosave(file: string, onSaved: () => void) {
  const [status, setStatus] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // one save after the other, since each needs the version of the one before
  const saving = useRef(Promise.resolve());
  const isSaving = useRef(false);

  const save = async (form: HTMLFormElement) => {
    const version = form.elements.namedItem("version") as HTMLInputElement;
    const fields = { ...Object.fromEntries(new FormData(form)), file };
    const answer = await fetch(AUTOSAVE_PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
      redirect: "manual",
    }).catch(() => null);
    if (answer?.type === "opaqueredirect") return setStatus(LOCKED);
    if (!answer?.ok) return setStatus(answer?.status === 409 ? CONFLICT : FAILED);
    version.value = (await answer.json()).version;
    setStatus("Draft saved");
    onSaved();
  };
  const onInput = ({ currentTarget }: FormEvent<HTMLFormElement>) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      isSaving.current = true;
      saving.current = saving.current
        .then(() => save(currentTarget))
        .finally(() => {
          isSaving.current = false;
        });
    }, PAUSE_MS);
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    clearTimeout(timer.current);
    if (!isSaving.current) return;
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const form = event.currentTarget;
    saving.current.then(() => form.requestSubmit(submitter));
  };
  return { status, onInput, onSubmit };
}
