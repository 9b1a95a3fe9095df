import { useNavigate, useNavigation } from "@remix-run/react";
import {
  type CSSProperties,
  type FormEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import * as toasts from "~/toast-messages";
import { Button, postJson, toastOf, useToast } from "~/ui";
import { newHighlightPath, SAVE_HIGHLIGHT_PATH } from "../library-paths";
import { useReadingKeys } from "../use-reading-keys";
import { blockAtTop } from "../use-reading-position";
import { COLORS, type TextHighlights } from "./highlight";
import { NoteField } from "./highlight-form";
import { characterRange } from "./selection";

/** Selecting must pause this long before the tools appear, in milliseconds. */
const PAUSE_MS = 250;

/** The passage that the tools are for, selected or highlighted, and where they are on the page, in CSS pixels. */
type Target = ({ passage: string } | { id: string; color: string }) & {
  top: number;
  left: number;
};

type Props = { slug: string } & Pick<TextHighlights, "renderKey" | "noted">;

/**
 * The tools that highlight what is selected in the text, and change a highlight that is pressed: colors, a note,
 * deletion. The key `h` leads into them; with nothing selected, to the page that highlights sentences.
 */
export function PassageTools({ slug, renderKey, noted }: Props) {
  const [target, setTarget] = useState<Target | null>(null);
  const [isNoting, setNoting] = useState(false);
  const [busy, setBusy] = useState(false);
  const tools = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const toast = useToast();
  const { state } = useNavigation();
  const highlighted = useRef<string | null>(null);

  useReadingKeys({
    h: () => {
      const selected = selectedPassage();
      if (selected) {
        setTarget(selected);
        setNoting(false);
      }
      if (selected || target) focusSoon(tools);
      else navigate(newHighlightPath(slug, blockAtTop() ?? 1));
    },
  });

  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined;
    const open = (next: Target) => {
      setTarget(next);
      setNoting(false);
    };
    const lookAtSelection = () => {
      const selected = selectedPassage();
      if (selected) open(selected);
      // pressing a tool may end the selection
      else if (!tools.current?.contains(document.activeElement)) {
        setTarget((was) => (was && "passage" in was ? null : was));
      }
    };
    const onSelection = () => {
      clearTimeout(pause);
      pause = setTimeout(lookAtSelection, PAUSE_MS);
    };
    const onClick = (event: MouseEvent) => {
      const pressed = event.target instanceof Element ? event.target : null;
      if (!pressed || tools.current?.contains(pressed)) return;
      const found = pressed.closest<HTMLElement>("#text a, #text [data-highlight]");
      const id = found?.dataset.highlight;
      const modified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!id || modified || !getSelection()?.isCollapsed) {
        setTarget((was) => (was && "id" in was ? null : was));
        return;
      }
      event.preventDefault();
      open({ id, color: linkOf(id)?.dataset.color ?? "", ...placeUnder(found) });
      if (found instanceof HTMLAnchorElement) focusSoon(tools);
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape") setTarget(null);
    };
    // what was selected before the page was hydrated
    onSelection();
    document.addEventListener("selectionchange", onSelection);
    document.addEventListener("click", onClick);
    document.addEventListener("keydown", onKey);
    return () => {
      clearTimeout(pause);
      document.removeEventListener("selectionchange", onSelection);
      document.removeEventListener("click", onClick);
      document.removeEventListener("keydown", onKey);
    };
  }, []);

  useEffect(() => {
    if (state !== "loading") return;
    return () => {
      // the text's elements are new, and the focus was on what is gone
      const id = tools.current ? null : highlighted.current;
      if (id) linkOf(id)?.focus({ preventScroll: true });
      highlighted.current = null;
    };
  }, [state]);

  if (!target) return null;
  const isNew = "passage" in target;
  const note = isNew ? "" : (noted.find(({ id }) => id === target.id)?.note ?? "");

  /** Returns the highlight's id, or null after a toast. */
  const save = async (fields: Record<string, unknown>): Promise<string | null> => {
    if (busy) return null;
    setBusy(true);
    const answer = await postJson(SAVE_HIGHLIGHT_PATH, fields);
    setBusy(false);
    if (answer.status === 403) navigate(String(answer.body.redirectTo ?? "/"));
    else if (!answer.ok) toast(toastOf(answer, toasts.highlightFailed()));
    if (!answer.ok) return null;
    const id = String(answer.body.id);
    highlighted.current = id;
    // loads the text's HTML; revalidating would show the members' area as loading
    navigate(location.pathname + location.search, { replace: true, preventScrollReset: true });
    return id;
  };
  const saveAs = (color: string, note?: string) =>
    save(
      isNew
        ? { intent: "add", slug, renderKey, passage: target.passage, color }
        : { intent: "change", id: target.id, color, note },
    );
  const choose = async (color: string) => {
    if (await saveAs(color, note)) setTarget(null);
    getSelection()?.removeAllRanges();
  };
  const openNote = async () => {
    if (isNew) {
      const id = await saveAs("1");
      if (id === null) return;
      getSelection()?.removeAllRanges();
      setTarget({ id, color: "1", top: target.top, left: target.left });
    }
    setNoting(true);
  };
  const saveNote = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const written = String(new FormData(event.currentTarget).get("note") ?? "");
    if (!isNew && (await saveAs(target.color, written))) setTarget(null);
  };
  const remove = async () => {
    if (!isNew && (await save({ intent: "delete", id: target.id }))) setTarget(null);
  };

  const place = { "--top": `${target.top}px`, "--left": `${target.left}px` } as CSSProperties;
  return createPortal(
    <section ref={tools} aria-label="Highlight" className="passage-tools" style={place}>
      <div className="passage-buttons">
        {Object.entries(COLORS).map(([value, name]) => (
          <button
            key={value}
            type="button"
            className={`passage-color highlight-${value}`}
            aria-label={name}
            aria-pressed={!isNew && target.color === value}
            // keeps the selection
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(value)}
          />
        ))}
        <Button variant="quiet" onClick={openNote} aria-expanded={isNoting}>
          Note
        </Button>
        {!isNew && (
          <Button variant="quiet" onClick={remove}>
            Delete
          </Button>
        )}
      </div>
      {isNoting && (
        <form onSubmit={saveNote} className="mt-3 grid gap-3">
          <label htmlFor="passage-note" className="sr-only">
            Note on this passage
          </label>
          {/* its button has just been pressed */}
          <NoteField id="passage-note" rows={3} defaultValue={note} autoFocus />
          <Button type="submit" busy={busy}>
            Save note
          </Button>
        </form>
      )}
    </section>,
    document.body,
  );
}

/** Returns what is selected in the text; null for nothing. */
function selectedPassage(): Target | null {
  const text = document.getElementById("text");
  const selection = getSelection();
  const range = selection?.rangeCount && !selection.isCollapsed && selection.getRangeAt(0);
  const found = text && range ? characterRange(text, range) : null;
  return found && range ? { passage: `${found.start}-${found.end}`, ...placeUnder(range) } : null;
}

/** Moves the focus into the tools once they are shown. */
const focusSoon = (tools: RefObject<HTMLElement>) =>
  requestAnimationFrame(() => tools.current?.querySelector("button")?.focus());

const linkOf = (id: string) =>
  document.querySelector<HTMLElement>(`.highlight-link[data-highlight="${id}"]`);

/** Returns the place under a selection or an element, within the window's width. */
function placeUnder(shown: Range | Element): { top: number; left: number } {
  const last = [...shown.getClientRects()].at(-1) ?? shown.getBoundingClientRect();
  const width = 352;
  const left = Math.max(8, Math.min(last.left, document.documentElement.clientWidth - width - 8));
  return { top: last.bottom + scrollY + 8, left: left + scrollX };
}
