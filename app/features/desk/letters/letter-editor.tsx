import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
import {
  AreaField,
  CheckField,
  DeskButton,
  DeskHeading,
  DeskSection,
  DeskSubmit,
} from "../desk-parts";
import { DraftEditor } from "../draft-editor";
import { MAX_FIELD, nameOf } from "./letter";
import { letterPath } from "./letter-paths";
import type { Letter } from "./letters.server";

/** The ways in which the frame shows the mail, as its address names them. */
const VIEWS = [
  ["html", "Light"],
  ["dark", "Dark"],
  ["text", "Plain text"],
] as const;

const BUTTONS = [
  ["save", "Save draft"],
  ["test", "Test to myself"],
  ["send", "Send…"],
] as const;

const FIELDS = [
  ["subject", "Subject"],
  ["preview", "Preview text, which an inbox shows after the subject"],
  ["slug", "End of the address, such as the-first-mile"],
] as const;

type LetterEditorProps = { letter: Letter; refusal: FormRefusal | null };

/** A letter's form beside its mail as it will look. */
export function LetterEditor({ letter, refusal }: LetterEditorProps) {
  const { id, savedAt, savedBy, problems } = letter;
  const typed = {
    ...letter.fields,
    version: String(letter.version),
    theirs: null,
    ...refusal?.typed,
  };
  const frameAt = `${letterPath(id)}/preview?as=`;
  return (
    <>
      <DeskHeading title={nameOf(letter.fields)} />
      <DraftEditor
        key={id}
        draft={{ letter: id }}
        hidden={{ version: typed.version }}
        refusal={refusal}
        theirs={typed.theirs}
        buttons={BUTTONS}
        savedAt={savedAt}
        savedBy={savedBy}
        mistakes={{ message: "Before it can be sent:", problems }}
        preview={`${frameAt}html`}
        tools={
          <div className="desk-actions">
            {VIEWS.map(([as, label]) => (
              <a key={as} href={frameAt + as} target="preview">
                {label}
              </a>
            ))}
            <CheckField label="As wide as a phone" className="desk-phone" />
          </div>
        }
        below={<Pictures {...letter} />}
      >
        {FIELDS.map(([name, label]) => (
          <TextField
            key={name}
            name={name}
            label={label}
            defaultValue={typed[name]}
            maxLength={MAX_FIELD}
            autoComplete="off"
          />
        ))}
        <CheckField
          name="premium"
          label="For members: others read only the beginning"
          defaultChecked={Boolean(typed.premium)}
        />
        <AreaField name="body" label="Text, in Markdown" defaultValue={typed.body} />
      </DraftEditor>
      <details className="desk-section">
        <summary>Delete this draft</summary>
        <p>The text and its pictures are deleted for good.</p>
        <DeskButton fields={{ intent: "delete" }}>Delete the draft</DeskButton>
      </details>
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
