import { useNavigate } from "@remix-run/react";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { ToastMessage } from "~/toast-messages";
import { type JsonAnswer, postJson, useToast } from "~/ui";
import { findDrafts, forgetDrafts, keepDraft, replaceDraft } from "~/ui/drafts";
import { SAVE_NOTES_PATH } from "../library-paths";
import { commonEnds, type Insertion, type Note, withInsertions } from "./note";

/** Notes are saved after this long without typing, in milliseconds. */
const PAUSE_MS = 1_000;

/** Length of a text that surely fits in the 64 KB browsers send while a page unloads. */
const MAX_KEEPALIVE_LENGTH = 15_000;

/** Delay before a failed attempt is retried, in milliseconds. */
const RETRY_MS = 10_000;

export type SavingState = {
  /** A sentence for the reader; empty until something is written. */
  message: string;
  /** Whether the reader must sign in again to save. */
  signedOut: boolean;
};

const SILENT: SavingState = { message: "", signedOut: false };

type NoteSaving = {
  state: SavingState;
  /** Call it whenever the text has changed. */
  onInput: () => void;
  /** Saves at once, even an emptied page. Returns false if the form must be posted instead. */
  saveNow: () => boolean;
};

type Draft = { text: string; version: number };

/** Returns a text area's draft, based on the version known to be stored. */
const draftOf = ({ value }: HTMLTextAreaElement, { version }: Note): Draft => ({
  text: value,
  version,
});

/**
 * Saves a text area's notes after a pause, on blur, and when the page is left. Unsaved text stays in this browser
 * until it is saved, even if the connection, session or tab is lost. A draft is written at once and later only
 * replaced: an attempt may fail because its user has just signed out, which removes the drafts.
 */
export function useNoteSaving(
  area: RefObject<HTMLTextAreaElement>,
  { slug, owner, note }: { slug: string; owner: string; note: Note },
): NoteSaving {
  const [state, setState] = useState(SILENT);
  const navigate = useNavigate();
  const toast = useToast();
  // the last version known to be stored, and the last text sent without a response
  const stored = useRef(note);
  const unconfirmed = useRef<string>();
  const page = useRef("");
  const isSending = useRef(false);
  const isSignedOut = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();

  const later = useCallback((save: () => void, milliseconds: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(save, milliseconds);
  }, []);

  const send = useCallback(
    ({ text, version }: Draft, keepalive: boolean) =>
      postJson(
        SAVE_NOTES_PATH,
        { slug, owner, version, text, unconfirmed: unconfirmed.current },
        keepalive,
      ),
    [slug, owner],
  );

  const report = useCallback(({ status, body }: JsonAnswer, isKept: boolean) => {
    const why =
      status === 0
        ? "Not saved: no connection."
        : `Not saved. ${body.error ?? "Something went wrong."}`;
    const where = isKept ? "This browser keeps your text." : "Please keep this page open.";
    isSignedOut.current = body.signedOut === true;
    setState({ message: `${why} ${where}`, signedOut: isSignedOut.current });
  }, []);

  const save = useCallback(
    async ({ leaving = false, empty = false, element = area.current } = {}): Promise<void> => {
      if (!element || (isSending.current && !leaving)) return;
      clearTimeout(timer.current);
      const text = element.value;
      if (text === stored.current.text) return forgetDrafts(owner, slug, page.current);
      // possibly cleared by accident, so only the button saves an empty text
      if (text === "" && !empty) {
        return setState({
          message: "The page is empty. Press “Save notes” to delete your saved notes.",
          signedOut: false,
        });
      }
      // an emptied page has no draft until its reader confirms it
      if (text === "") keepDraft(owner, slug, page.current, draftOf(element, stored.current));
      isSending.current = true;
      setState((was) => ({ ...was, message: "Saving..." }));
      const keepalive = leaving && text.length < MAX_KEEPALIVE_LENGTH;
      const answer = await send({ text, version: stored.current.version }, keepalive);
      isSending.current = false;
      if (!answer.ok) {
        if (answer.status === 0) unconfirmed.current = text;
        if (answer.status === 0 || answer.status >= 429) later(save, RETRY_MS);
        const draft = draftOf(element, stored.current);
        return report(answer, replaceDraft(owner, slug, page.current, draft));
      }
      const { version, insertions, redirectTo } = answer.body as {
        version: number;
        insertions: Insertion[];
        redirectTo?: string;
      };
      stored.current = { version, text: withInsertions(text, insertions) };
      unconfirmed.current = undefined;
      isSignedOut.current = false;
      insert(element, text, insertions);
      if (element.value !== stored.current.text) {
        replaceDraft(owner, slug, page.current, draftOf(element, stored.current));
        return later(save, PAUSE_MS);
      }
      forgetDrafts(owner, slug, page.current);
      setState({
        message: insertions.length > 0 ? "Saved, along with changes made elsewhere." : "Saved",
        signedOut: false,
      });
      if (redirectTo) {
        toast(answer.body.toast as ToastMessage);
        navigate(redirectTo);
      }
    },
    [area, slug, owner, send, later, report, toast, navigate],
  );

  const onInput = useCallback(() => {
    const element = area.current;
    if (!element) return;
    growToFit(element);
    setState((was) => (was.signedOut || was.message === "" ? was : SILENT));
    if (element.value === "") forgetDrafts(owner, slug, page.current);
    else keepDraft(owner, slug, page.current, draftOf(element, stored.current));
    if (!isSignedOut.current) later(save, PAUSE_MS);
  }, [area, slug, owner, later, save]);

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    page.current = Math.random().toString(36).slice(2);
    const restored: Draft[] = [];
    for (const { page: other, draft } of findDrafts(owner, slug)) {
      restored.push(draft as Draft);
      if (restored.length === 1) {
        forgetDrafts(owner, slug, other);
      } else {
        // from another tab; the server merges it with the rest
        void send(draft as Draft, false).then(({ ok }) => ok && forgetDrafts(owner, slug, other));
      }
    }
    const [draft] = restored;
    // text typed before hydration is newer than any draft
    if (draft && element.value === stored.current.text && draft.text !== element.value) {
      element.value = draft.text;
      stored.current = { text: stored.current.text, version: draft.version };
    }
    if (element.value !== stored.current.text && element.value !== "") {
      keepDraft(owner, slug, page.current, draftOf(element, stored.current));
    }
    growToFit(element);
    void save();

    const retry = () => void save();
    const leave = () => void save({ leaving: true });
    const onVisibility = () => (document.hidden ? leave() : retry());
    window.addEventListener("online", retry);
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onVisibility);
    element.addEventListener("blur", retry);
    return () => {
      window.removeEventListener("online", retry);
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onVisibility);
      element.removeEventListener("blur", retry);
      void save({ leaving: true, element });
      clearTimeout(timer.current);
    };
  }, [area, slug, owner, save, send]);

  useEffect(() => {
    // the page's data was revalidated
    const element = area.current;
    if (!element || note.version <= stored.current.version) return;
    if (element.value !== stored.current.text && element.value !== note.text) return;
    stored.current = note;
    element.value = note.text;
    growToFit(element);
  }, [area, note]);

  const saveNow = useCallback(() => {
    const version = area.current?.form?.elements.namedItem("version");
    if (version instanceof HTMLInputElement) version.value = String(stored.current.version);
    if (isSignedOut.current) return false;
    if (area.current?.value === stored.current.text) {
      setState({ message: "Saved", signedOut: false });
    }
    void save({ empty: true });
    return true;
  }, [area, save]);

  return { state, onInput, saveNow };
}

/**
 * Inserts into a text area whose text was `sent` a moment ago and may have been edited in one place since. The browser
 * keeps the caret in place.
 */
function insert(area: HTMLTextAreaElement, sent: string, insertions: readonly Insertion[]): void {
  if (insertions.length === 0) return;
  const now = area.value;
  const { head, tail } = commonEnds(sent, now);
  // from the end, so earlier positions stay valid
  for (const { at, text } of insertions.toReversed()) {
    const fromEnd = sent.length - at;
    const place = at <= head ? at : now.length - Math.min(tail, fromEnd);
    area.setRangeText(text, place, place, "preserve");
  }
  growToFit(area);
}

/** Grows a text area in browsers without `field-sizing`. It never shrinks, so nothing jumps. */
function growToFit(area: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content") || area.scrollHeight <= area.clientHeight) return;
  area.style.height = `${area.scrollHeight}px`;
}
