import { useRef } from "react";
import { verifyPath } from "~/features/my-account/account-paths";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField, UtcTime } from "~/ui";
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
import type { EditedText } from "./edition-drafts.server";
import { editorPath, listPath, previewPath } from "./edition-paths";
import { useAutosave } from "./use-autosave";

type TextEditorProps = { text: EditedText; refusal: FormRefusal | null };

/** A text beside its page, with what its front matter sets, and what can be done with its file. */
export function TextEditor({ text, refusal }: TextEditorProps) {
  const { path, settings, savedAt, unwritable, problems, notes } = text;
  const preview = useRef<HTMLIFrameElement>(null);
  const autosave = useAutosave(path, () => preview.current?.contentWindow?.location.reload());
  const typed = { ...text, ...refusal?.typed };
  return (
    <>
      <DeskHeading title={settings?.title ?? path}>
        <a href={listPath(path)}>All texts</a>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      {unwritable && <p className="desk-notice">{unwritable} Drafts and previews work as ever.</p>}
      <div className="desk-editor">
        <form
          method="post"
          action={editorPath(path)}
          className="desk-form"
          onInput={autosave.onInput}
          onSubmit={autosave.onSubmit}
        >
          <HiddenFields fields={{ version: typed.version, base: typed.base }} />
          <AreaField label={path} name="content" defaultValue={typed.content} />
          <div className="desk-actions">
            <DeskSubmit name="intent" value="publish">
              Save for readers
            </DeskSubmit>
            <DeskSubmit name="intent" value="save" variant="secondary">
              Save draft
            </DeskSubmit>
            <p role="status" className="desk-hint">
              {autosave.status ??
                (savedAt && (
                  <>
                    Draft of <UtcTime at={savedAt} />
                  </>
                ))}
            </p>
          </div>
          {settings && <SettingFields settings={settings} />}
        </form>
        <div>
          {typed.theirs !== null && (
            <AreaField label="The other version" value={typed.theirs} readOnly />
          )}
          <iframe
            ref={preview}
            src={previewPath(path)}
            title="As readers will see it"
            sandbox="allow-same-origin"
            className="desk-preview"
          />
          {!refusal && problems.length > 0 && (
            <DeskProblems refusal={{ message: "Mistakes:", problems }} />
          )}
          {notes.length > 0 && (
            <DeskProblems refusal={{ message: "Probably not meant:", problems: notes }} />
          )}
        </div>
      </div>
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
function FileActions({ text }: { text: EditedText }) {
  const { path, version, hasFile, settings } = text;
  const action = editorPath(path);
  if (version !== "0") {
    return (
      <DeskSection title="The draft">
        <DeskLine
          action={action}
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
          <DeskLine action={action} fields={{ intent: "rename" }} button="Rename">
            <TextField label="Name in its address" name="slug" defaultValue={settings.slug} />
          </DeskLine>
        )}
        <DeskLine action={action} fields={{ intent: "delete" }} button="Delete">
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

/** What an author typed whose password is due, and nothing else of the text. */
export function KeptText({ file, refusal }: { file: string; refusal: FormRefusal | null }) {
  const { content, ...fields } = refusal?.typed ?? {};
  return (
    <>
      <DeskHeading title={file} />
      <DeskProblems refusal={refusal} />
      <form method="post" action={editorPath(file)} className="desk-form">
        <a href={verifyPath(listPath(file))} target="_blank" rel="noreferrer">
          Enter your password in a new tab
        </a>
        <HiddenFields fields={fields} />
        <AreaField label={file} name="content" defaultValue={content} />
        <DeskSubmit name="intent" value="save">
          Save draft
        </DeskSubmit>
      </form>
    </>
  );
}
