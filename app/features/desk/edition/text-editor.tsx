import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
import {
  AreaField,
  CheckField,
  ChoiceField,
  DeskHeading,
  DeskLine,
  DeskProblems,
  DeskSection,
  DeskSubmit,
} from "../desk-parts";
import { DraftEditor } from "../draft-editor";
import type { EditedText } from "./edition-drafts.server";
import { listPath, previewPath } from "./edition-paths";

type TextEditorProps = { text: EditedText; refusal: FormRefusal | null };

const BUTTONS = [
  ["publish", "Save for readers"],
  ["save", "Save draft"],
] as const;

/** A text beside its page, with what its front matter sets, and what can be done with its file. */
export function TextEditor({ text, refusal }: TextEditorProps) {
  const { path, settings, unwritable, problems, notes } = text;
  const { content, version, base, theirs } = { ...text, ...refusal?.typed };
  return (
    <>
      <DeskHeading title={settings?.title ?? path}>
        <a href={listPath(path)}>All texts</a>
      </DeskHeading>
      {unwritable && <p className="desk-notice">{unwritable} Drafts and previews work as ever.</p>}
      <DraftEditor
        key={path}
        draft={{ file: path }}
        hidden={{ version, base }}
        refusal={refusal}
        theirs={theirs}
        buttons={BUTTONS}
        savedAt={text.savedAt}
        mistakes={{ message: "Mistakes:", problems }}
        preview={previewPath(path)}
        below={
          <>
            {notes.length > 0 && (
              <DeskProblems refusal={{ message: "Probably not meant:", problems: notes }} />
            )}
            {settings && <SettingFields settings={settings} />}
          </>
        }
      >
        <AreaField label={path} name="content" defaultValue={content} />
      </DraftEditor>
      <FileActions text={text} />
    </>
  );
}

/** What a text's front matter sets; a button writes it there. */
function SettingFields({ settings }: { settings: NonNullable<EditedText["settings"]> }) {
  const { publish, isChapter, isPublic, audio, sounds } = settings;
  const options = [...new Set(["", audio, ...sounds])].map(
    (name) => [name, name || "None"] as const,
  );
  return (
    <fieldset className="desk-actions">
      <TextField
        label="Readers get it from: a time, “draft”, or empty for at once"
        name="publish"
        placeholder="2026-12-01T08:00Z"
        defaultValue={publish}
      />
      <ChoiceField label="Sound" name="audio" options={options} defaultValue={audio} />
      {isChapter && <CheckField label="For everyone" name="public" defaultChecked={isPublic} />}
      <DeskSubmit name="intent" value="set" variant="secondary">
        Write this into the text
      </DeskSubmit>
    </fieldset>
  );
}

/** What can be done with a file and its draft. */
function FileActions({ text: { path, version, hasFile, settings } }: { text: EditedText }) {
  if (version !== "0") {
    return (
      <DeskSection title="The draft">
        <DeskLine
          reloadDocument
          fields={{ intent: "discard", version }}
          button="Discard the draft"
        />
      </DeskSection>
    );
  }
  return (
    hasFile && (
      <DeskSection title="The file">
        {settings && (
          <DeskLine reloadDocument fields={{ intent: "rename" }} button="Rename">
            <TextField label="Name in its address" name="slug" defaultValue={settings.slug} />
          </DeskLine>
        )}
        <DeskLine reloadDocument fields={{ intent: "delete" }} button="Delete">
          <TextField label={`To delete it, type “${settings?.title ?? path}”`} name="title" />
        </DeskLine>
        <p className="desk-hint">
          The address that it was first published at leads to its new one. A deleted file stays in
          the folder “.deleted”.
        </p>
      </DeskSection>
    )
  );
}
