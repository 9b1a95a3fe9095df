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
  HiddenFields,
} from "../desk-parts";
import { DraftEditor } from "../draft-editor";
import type { EditedText } from "./edition-drafts.server";
import { listPath, previewPath } from "./edition-paths";

type TextEditorProps = { text: EditedText; refusal: FormRefusal | null };

const BUTTONS = [
  ["save", "Save draft"],
  ["publish", "Save for readers"],
] as const;

/** A text beside its page, with what its front matter sets, and what can be done with its file. */
export function TextEditor({ text, refusal }: TextEditorProps) {
  const { path, settings, unwritable, notes } = text;
  const { content, version, base, theirs } = { ...text, ...refusal?.typed };
  return (
    <>
      <DeskHeading title={settings?.title ?? path}>
        <a href={listPath(path)}>All texts</a>
      </DeskHeading>
      {unwritable && <p className="desk-notice">{unwritable}</p>}
      <DraftEditor
        key={path}
        draft={{ file: path }}
        hidden={{ version, base }}
        refusal={refusal}
        theirs={theirs}
        buttons={BUTTONS}
        savedAt={text.savedAt}
        preview={previewPath(path)}
        below={
          <>
            <DeskProblems refusal={{ message: "Probably not meant:", problems: notes }} />
            {settings && <SettingFields settings={settings} />}
            {version !== "0" && (
              <DeskSubmit name="intent" value="discard" variant="quiet">
                Discard the draft
              </DeskSubmit>
            )}
          </>
        }
      >
        <AreaField label={path} name="content" defaultValue={content} />
      </DraftEditor>
      <FileActions text={text} />
    </>
  );
}

/** What a text's front matter sets. */
function SettingFields({ settings }: { settings: NonNullable<EditedText["settings"]> }) {
  const { isDraft, from, isChapter, isPublic, audio, sounds } = settings;
  const options = [...new Set(["", audio, ...sounds])].map(
    (name) => [name, name || "None"] as const,
  );
  const before = {
    "was-publish": isDraft ? "draft" : from && `${from}Z`,
    "was-audio": audio,
    "was-public": isPublic ? "on" : "",
  };
  return (
    <fieldset className="desk-actions">
      <HiddenFields fields={before} />
      <ChoiceField
        label="Readers get it"
        name="publish"
        options={PUBLICATION}
        defaultValue={isDraft ? "draft" : from && "from"}
      />
      <TextField label="Time, in UTC" name="from" type="datetime-local" defaultValue={from} />
      <ChoiceField label="Sound" name="audio" options={options} defaultValue={audio} />
      {isChapter && <CheckField label="For everyone" name="public" defaultChecked={isPublic} />}
    </fieldset>
  );
}

const PUBLICATION = [
  ["", "At once"],
  ["from", "From a time"],
  ["draft", "Not yet"],
] as const;

/** What can be done with a file that has no draft. */
function FileActions({ text: { path, version, hasFile, settings } }: { text: EditedText }) {
  return (
    hasFile &&
    version === "0" && (
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
