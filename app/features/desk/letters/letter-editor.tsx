import { useId, useRef } from "react";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField, UtcTime } from "~/ui";
import { AreaField, CheckField, DeskProblems, DeskSection, DeskSubmit } from "../desk-parts";
import { type Letter, type LetterFields, MAX_FIELD } from "./letter";
import { letterPath } from "./letter-paths";
import { useLetterSaving } from "./use-letter-saving";

/** The ways in which the frame shows the mail, as its address names them. */
const VIEWS = [
  ["html", "Light"],
  ["dark", "Dark"],
  ["text", "Plain text"],
] as const;

type LetterEditorProps = {
  letter: Letter;
  /** Why the form did not do what it was sent for. */
  refusal?: FormRefusal;
  /** What could not be saved, and what somebody else has saved meanwhile. */
  typed?: LetterFields;
  theirs?: Letter;
};

/** A letter's form beside its mail as it will look. */
export function LetterEditor({ letter, refusal, typed, theirs }: LetterEditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  // unlike a new address, that keeps the place, and leaves the history alone
  const onSaved = () => frame.current?.contentWindow?.location.reload();
  const isHeld = theirs !== undefined;
  const { saved, status, ...events } = useLetterSaving({ form, letter, isHeld, onSaved });
  const { subject, preview, slug, premium, body } = typed ?? letter.fields;
  const problemOf = (name: string) => saved.problems.find(({ field }) => field === name)?.problem;
  const frameAt = `${letterPath(letter.id)}/preview?as=`;
  return (
    <>
      <DeskProblems refusal={refusal} />
      <div className="desk-editor">
        <form
          ref={form}
          method="post"
          encType="multipart/form-data"
          className="desk-letter"
          {...events}
        >
          <input type="hidden" name="version" value={(theirs ?? saved).version} />
          <Field name="subject" label="Subject" defaultValue={subject} problemOf={problemOf} />
          <Field
            name="preview"
            label="Preview text, which an inbox shows after the subject"
            defaultValue={preview}
            problemOf={problemOf}
          />
          <Field
            name="slug"
            label="End of the address, such as the-first-mile"
            defaultValue={slug}
            problemOf={problemOf}
          />
          <CheckField
            name="premium"
            label="For members: others read only the beginning"
            defaultChecked={premium}
          />
          <AreaField name="body" label="Text, in Markdown" defaultValue={body} rows={24} />
          {theirs && <OtherVersion {...theirs} />}
          <div className="desk-actions">
            <DeskSubmit name="intent" value="save">
              {theirs ? "Save mine over theirs" : "Save"}
            </DeskSubmit>
            <DeskSubmit name="intent" value="test" variant="secondary">
              Test to myself
            </DeskSubmit>
            <DeskSubmit name="intent" value="send" variant="secondary">
              Send…
            </DeskSubmit>
            <p role="status" className="desk-hint">
              {status || <LastSave {...saved} />}
            </p>
          </div>
          <Findings {...saved} />
          <Pictures {...letter} />
        </form>
        <section aria-label="Preview" className="desk-letter-preview">
          <div className="desk-actions">
            {VIEWS.map(([as, label]) => (
              <a key={as} href={frameAt + as} target="letter-preview">
                {label}
              </a>
            ))}
            <CheckField label="As wide as a phone" className="desk-phone" />
          </div>
          <iframe
            ref={frame}
            name="letter-preview"
            title="The mail as it will look"
            src={`${frameAt}html`}
            sandbox="allow-same-origin"
            className="desk-preview"
          />
        </section>
      </div>
      <details className="desk-section">
        <summary>Delete this draft</summary>
        <form method="post">
          <p>The text and its pictures are deleted for good.</p>
          <DeskSubmit name="intent" value="delete" variant="secondary">
            Delete the draft
          </DeskSubmit>
        </form>
      </details>
    </>
  );
}

type FieldProps = {
  name: keyof LetterFields;
  label: string;
  defaultValue: string;
  problemOf: (name: string) => string | undefined;
};

/** A field with what has to be mended below it. */
function Field({ problemOf, ...field }: FieldProps) {
  const id = useId();
  return (
    <div>
      <TextField {...field} maxLength={MAX_FIELD} autoComplete="off" aria-describedby={id} />
      <p id={id} className="desk-hint">
        {problemOf(field.name)?.replace(/^\w+: /, "")}
      </p>
    </div>
  );
}

function LastSave({ savedAt, savedBy }: Letter) {
  return (
    <>
      Saved <UtcTime at={savedAt} /> {savedBy && `by ${savedBy}`}
    </>
  );
}

/** What another author has saved, to be compared with what is in the form. */
function OtherVersion(theirs: Letter) {
  const { id, fields } = theirs;
  return (
    <section aria-label="The other version" className="desk-problems">
      <p role="alert">
        <LastSave {...theirs} />: the version below. Yours isn’t saved. Save it over theirs, or{" "}
        <a href={letterPath(id)}>drop it</a>.
      </p>
      <AreaField
        label="Their version"
        value={[fields.subject, fields.preview, fields.slug, "", fields.body].join("\n")}
        rows={12}
        readOnly
      />
    </section>
  );
}

/** What has to be mended in the text before it can be sent, and what might be. */
function Findings({ problems, warnings }: Letter) {
  const ofText = problems.filter(({ field }) => field === null);
  return (
    <>
      {ofText.length > 0 && (
        <DeskProblems refusal={{ message: "Before it can be sent:", problems: ofText }} />
      )}
      {warnings.map((warning) => (
        <p key={warning} className="desk-notice">
          {warning}
        </p>
      ))}
    </>
  );
}

/** The letter's pictures, with what shows them in the text. */
function Pictures({ pictures }: Letter) {
  return (
    <DeskSection title="Pictures">
      <ul>
        {pictures.map(({ name, kilobytes }) => (
          <li key={name} className="desk-actions">
            <code>![Describe the picture]({name})</code> {kilobytes} KB
            <DeskSubmit name="intent" value={`remove:${name}`} variant="quiet">
              Delete <span className="sr-only">{name}</span>
            </DeskSubmit>
          </li>
        ))}
      </ul>
      <div className="desk-actions">
        <TextField
          label="PNG, JPEG or GIF, up to 1 MB"
          name="picture"
          type="file"
          accept="image/png,image/jpeg,image/gif"
        />
        <DeskSubmit name="intent" value="picture" variant="secondary">
          Add the picture
        </DeskSubmit>
      </div>
    </DeskSection>
  );
}
