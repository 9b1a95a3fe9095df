import { Form } from "@remix-run/react";
import { useRef } from "react";
import { verifyPath } from "~/features/my-account/account-paths";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField, UtcTime } from "~/ui";
import {
  AreaField,
  ChoiceField,
  DeskButton,
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  HiddenFields,
} from "../desk-parts";
import type { EditedText } from "./edition-drafts.server";
import { editorPath, listPath, previewPath } from "./edition-paths";
import type { TextSettings } from "./text-settings";
import { useAutosave } from "./use-autosave";

type TextEditorProps = { text: EditedText; refusal: FormRefusal | null };

/** A text beside its page, with what its front matter sets, and what can be done with its file. */
export function TextEditor({ text, refusal }: TextEditorProps) {
  const { path, saved, settings, unwritable, folder } = text;
  const form = useRef<HTMLFormElement>(null);
  const preview = useRef<HTMLIFrameElement>(null);
  const autosaved = useAutosave(form, preview, path);
  const typed = refusal?.typed ?? {};
  const theirs = typed.theirs ?? text.theirs;
  const shownProblems = autosaved ? autosaved.problems : refusal ? undefined : text.problems;
  return (
    <>
      <DeskHeading title={settings?.title ?? path}>
        <a href={listPath(path)}>
          {listPath(path) === listPath("") ? "All of the site" : "All texts"}
        </a>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      {unwritable && (
        <p className="desk-notice">
          {unwritable} You can write and look here; drafts are kept. The files are in {folder}.
        </p>
      )}
      <div className="desk-editor">
        <form ref={form} method="post" action={editorPath(path)} className="desk-form">
          <Shown version={typed.version ?? String(text.version)} base={typed.base ?? text.base} />
          <AreaField
            label={`Text of ${path}`}
            name="content"
            defaultValue={typed.content ?? text.content}
            spellCheck
          />
          {settings && <SettingFields settings={settings} sounds={text.sounds} typed={typed} />}
          <div className="desk-actions">
            <DeskSubmit name="intent" value="publish">
              Save to the {listPath(path) === listPath("") ? "site" : "book"}
            </DeskSubmit>
            <DeskSubmit name="intent" value="save" variant="secondary">
              Save draft
            </DeskSubmit>
            <p role="status" className="desk-hint">
              {autosaved?.status ?? (saved && <SavedAt {...saved} />)}
            </p>
          </div>
          {shownProblems && shownProblems.length > 0 && (
            <DeskProblems refusal={{ message: "Mistakes:", problems: shownProblems }} />
          )}
          {text.notes.length > 0 && (
            <details>
              <summary>Probably not meant</summary>
              <ul>
                {text.notes.map(({ line, problem }) => (
                  <li key={`${line} ${problem}`}>
                    Line {line}: {problem}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </form>
        <div>
          {theirs != null && (
            <AreaField label="The other version" value={theirs} readOnly className="field-input" />
          )}
          <iframe
            ref={preview}
            src={previewPath(path)}
            title="As readers will see it"
            sandbox="allow-same-origin"
            className="desk-preview"
          />
        </div>
      </div>
      <FileActions text={text} />
    </>
  );
}

/** What was shown of a text, which a save must not overwrite unseen. */
function Shown({ version, base }: { version: string; base: string }) {
  return (
    <>
      <input type="hidden" name="version" defaultValue={version} autoComplete="off" />
      <input type="hidden" name="base" defaultValue={base} autoComplete="off" />
    </>
  );
}

function SavedAt({ at, by }: { at: string; by: string | null }) {
  return (
    <>
      Draft saved <UtcTime at={at} />
      {by && ` by ${by}`}
    </>
  );
}

type SettingFieldsProps = {
  settings: TextSettings;
  sounds: string[];
  typed: Record<string, string>;
};

/** What the front matter sets. A field that is left as it was changes nothing. */
function SettingFields({ settings, sounds, typed }: SettingFieldsProps) {
  const { when, at, readers, audio, kind } = settings;
  const were = { "was-when": when, "was-at": at, "was-readers": readers, "was-audio": audio };
  const isKnown = audio === "" || sounds.includes(audio);
  return (
    <fieldset className="desk-fields">
      <legend className="sr-only">Publication</legend>
      <HiddenFields fields={were} />
      <ChoiceField
        label="Published"
        name="when"
        defaultValue={typed.when ?? when}
        options={[
          ["now", "At once"],
          ["time", "From a time"],
          ["draft", "Not yet"],
        ]}
      />
      <TextField label="Time (UTC)" name="at" type="datetime-local" defaultValue={typed.at ?? at} />
      {kind === "chapter" && (
        <ChoiceField
          label="Readers"
          name="readers"
          defaultValue={typed.readers ?? readers}
          options={[
            ["members", "Members"],
            ["everyone", "Everyone"],
          ]}
        />
      )}
      <ChoiceField
        label="Sound"
        name="audio"
        defaultValue={typed.audio ?? audio}
        options={["", ...(isKnown ? [] : [audio]), ...sounds].map((name) => [name, name || "None"])}
      />
    </fieldset>
  );
}

/** What can be done with a file and its draft: rename, delete, discard. */
function FileActions({ text }: { text: EditedText }) {
  const { path, version, hasFile, settings, saved } = text;
  return (
    <DeskSection title="The file">
      <DeskFacts facts={[["File", path]]} />
      <div className="desk-actions mt-4">
        {saved && (
          <DeskButton
            action={editorPath(path)}
            fields={{ intent: "discard", version: String(version) }}
          >
            Discard the draft
          </DeskButton>
        )}
        {hasFile && !saved && settings && (
          <Form method="post" action={editorPath(path)} className="desk-actions">
            <HiddenFields fields={{ intent: "rename" }} />
            <TextField label="Name in its address" name="slug" defaultValue={settings.slug} />
            <DeskSubmit variant="secondary">Rename</DeskSubmit>
          </Form>
        )}
        {hasFile && !saved && (
          <Form method="post" action={editorPath(path)} className="desk-actions">
            <HiddenFields fields={{ intent: "delete" }} />
            <TextField
              label={`Type “${settings?.title ?? path}” to delete it`}
              name="title"
              autoComplete="off"
            />
            <DeskSubmit variant="secondary">Delete</DeskSubmit>
          </Form>
        )}
      </div>
      <p className="desk-hint mt-4">
        {saved
          ? "Rename and delete it once its draft is saved to the book or discarded."
          : "After a rename, the address that it was first published at leads to the new one. A deleted file is kept in the folder “.deleted”."}
      </p>
    </DeskSection>
  );
}

/** What an author typed whose password is asked for before it is saved. Nothing else of the text is shown. */
export function KeptText({ file, refusal }: { file: string; refusal: FormRefusal | null }) {
  const { content = "", ...fields } = refusal?.typed ?? {};
  return (
    <>
      <DeskHeading title={file} />
      <DeskProblems refusal={refusal} />
      <p className="desk-notice">
        <a href={verifyPath(listPath(file))} target="_blank" rel="noreferrer">
          Enter your password
        </a>{" "}
        in a new tab, then save here.
      </p>
      <form method="post" action={editorPath(file)} className="desk-form">
        <HiddenFields fields={fields} />
        <AreaField label={`Text of ${file}`} name="content" defaultValue={content} />
        <DeskSubmit name="intent" value="save">
          Save draft
        </DeskSubmit>
      </form>
    </>
  );
}
