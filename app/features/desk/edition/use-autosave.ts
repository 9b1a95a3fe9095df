import { type RefObject, useEffect, useState } from "react";
import type { FormProblem } from "~/http/form-refusal";
import { AUTOSAVE_PATH } from "./edition-paths";

/** How long after the last key what is typed is saved, in milliseconds. */
const PAUSE_MS = 1_000;

/** The state of the draft since the page was opened; null before anything is typed. */
export type Autosaved = { status: string; problems?: FormProblem[] } | null;

const FAILED = "Not saved: the site can’t be reached. Your text is still here.";
const LOCKED = "Not saved: enter your password again in another tab. Your text is still here.";

/**
 * Saves the fields of an editor's form as its draft while its author types, and then reloads the preview. A failure leaves the page
 * as it is, and the next key tries again.
 */
export function useAutosave(
  form: RefObject<HTMLFormElement | null>,
  preview: RefObject<HTMLIFrameElement | null>,
  file: string,
): Autosaved {
  const [saved, setSaved] = useState<Autosaved>(null);
  useEffect(() => {
    const { current } = form;
    if (!current) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isSaving = false;
    let isStopped = false;
    let submitter: HTMLElement | null = null;
    const field = (name: string) =>
      current.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement;

    const save = async () => {
      clearTimeout(timer);
      timer = undefined;
      // one at a time, or the second would have the version of the first
      if (isSaving) return later();
      isSaving = true;
      const names = ["content", "version", "base"];
      const body = JSON.stringify({
        file,
        ...Object.fromEntries(names.map((name) => [name, field(name).value])),
      });
      const headers = { "Content-Type": "application/json" };
      const options = { method: "POST", headers, body, redirect: "manual" } as const;
      const answer = await fetch(AUTOSAVE_PATH, options).catch(() => null);
      const told = answer?.headers.get("Content-Type")?.startsWith("application/json")
        ? await answer.json().catch(() => null)
        : null;
      isSaving = false;
      if (submitter) setTimeout(() => current.requestSubmit(submitter));
      if (!told) return setSaved({ status: answer?.type === "opaqueredirect" ? LOCKED : FAILED });
      setSaved(told);
      if (told.version === undefined) {
        // somebody else has saved it; the page shows both once its form is sent
        isStopped = true;
        return;
      }
      field("version").value = told.version;
      preview.current?.contentWindow?.location.reload();
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(save, PAUSE_MS);
    };
    const onInput = ({ target }: Event) => {
      if (target === field("content") && !isStopped) later();
    };
    // the form's own save has all that is typed, and needs the version of the one on its way
    const onSubmit = (event: SubmitEvent) => {
      isStopped = true;
      clearTimeout(timer);
      if (!isSaving) return;
      event.preventDefault();
      submitter = event.submitter;
    };
    const onHidden = () => {
      if (timer !== undefined) save();
    };
    current.addEventListener("input", onInput);
    current.addEventListener("submit", onSubmit);
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      clearTimeout(timer);
      current.removeEventListener("input", onInput);
      current.removeEventListener("submit", onSubmit);
      document.removeEventListener("visibilitychange", onHidden);
    };
  }, [form, preview, file]);
  return saved;
}
