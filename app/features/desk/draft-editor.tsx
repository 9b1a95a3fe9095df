import { type ReactNode, useRef, useState } from "react";
import type { FormProblem, FormRefusal } from "~/http/form-refusal";
import { UtcTime } from "~/ui";
import { AreaField, DeskProblems, DeskSubmit, HiddenFields } from "./desk-parts";
import { type SavedDraft, useAutosave } from "./use-autosave";

type DraftEditorProps = {
  draft: Parameters<typeof useAutosave>[0]["draft"];
  /** The form's hidden fields, one of them the draft's version. */
  hidden: Record<string, string> & { version: string };
  /** Why the form did not do what it was sent for. */
  refusal: FormRefusal | null;
  /** What somebody else has saved meanwhile, to be compared with what is in the form. */
  theirs: string | null;
  /** The form's fields, and what is below its buttons. */
  children: ReactNode;
  below: ReactNode;
  /** The buttons' intents and labels. */
  buttons: readonly (readonly [intent: string, label: string])[];
  /** An ISO 8601 instant; null while nothing is saved as a draft. */
  savedAt: string | null;
  /** The address of who saved it last, if that is known. */
  savedBy?: string | null;
  /** The mistakes in what was loaded, with their heading; where the preview does not list them. */
  mistakes?: { message: string; problems: FormProblem[] };
  /** The address of the frame's page, and what is above the frame. */
  preview: string;
  tools?: ReactNode;
};

/** A draft's form beside the page or mail that it will be; saved while its author types. */
export function DraftEditor(props: DraftEditorProps) {
  const { draft, hidden, refusal, theirs, buttons, savedAt, savedBy } = props;
  const [problems, setProblems] = useState(props.mistakes?.problems ?? []);
  const { frame, refresh } = useFrame(props.preview);
  const onSaved = (saved: SavedDraft) => {
    setProblems(saved.problems ?? []);
    refresh();
  };
  const isHeld = refusal?.typed?.theirs !== undefined;
  const { status, form } = useAutosave({ draft, version: hidden.version, isHeld, onSaved });
  return (
    <>
      <DeskProblems refusal={refusal} />
      <div className="desk-editor">
        <form {...form} method="post" encType="multipart/form-data" className="desk-form">
          <HiddenFields fields={hidden} />
          {props.children}
          {theirs !== null && <AreaField label="The other version" value={theirs} readOnly />}
          <div className="desk-actions">
            {buttons.map(([intent, label], index) => (
              <DeskSubmit
                key={intent}
                name="intent"
                value={intent}
                variant={index === 0 ? "primary" : "secondary"}
              >
                {label}
              </DeskSubmit>
            ))}
            <p role="status" className="desk-hint">
              {status ??
                (savedAt && (
                  <>
                    Draft of <UtcTime at={savedAt} /> {savedBy && `by ${savedBy}`}
                  </>
                ))}
            </p>
          </div>
          {props.mistakes && !refusal?.problems && (
            <DeskProblems refusal={{ ...props.mistakes, problems }} />
          )}
          {props.below}
        </form>
        <section aria-label="Preview" className="desk-beside">
          {props.tools}
          <iframe
            {...frame}
            name="preview"
            title="As readers will see it"
            sandbox="allow-same-origin"
            className="desk-preview"
          />
        </section>
      </div>
    </>
  );
}

/**
 * Returns the attributes of a preview's frame, and a function that loads its page again. It waits while the page is loading, since
 * a browser may ignore a reload then.
 */
function useFrame(src: string) {
  const ref = useRef<HTMLIFrameElement>(null);
  const now = useRef({ isLoading: false, isDue: false }).current;
  const refresh = () => {
    const { current: frame } = ref;
    if (!frame) return;
    now.isDue = now.isLoading || frame.contentDocument?.URL === "about:blank";
    if (now.isDue) return;
    now.isLoading = true;
    // a reload keeps the place and leaves the history alone; a page that failed to load cannot be reloaded
    if (frame.contentDocument) frame.contentWindow?.location.reload();
    else frame.src = src;
  };
  const onLoad = () => {
    now.isLoading = false;
    if (now.isDue) refresh();
  };
  return { frame: { ref, src, onLoad }, refresh };
}
