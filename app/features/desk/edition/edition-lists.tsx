import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
import {
  CheckField,
  ChoiceField,
  DeskButton,
  DeskHeading,
  DeskLine,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  DeskTable,
} from "../desk-parts";
import type { EditionList } from "./edition-files.server";
import { editorPath, SITE_FILE_NAME, UPLOAD_LIMIT } from "./edition-paths";

type ListPageProps = { list: EditionList; refusal: FormRefusal | null };

/** The book: its texts in order, its pictures and sounds, and how to begin another text. */
export function BookPage({ list, refusal }: ListPageProps) {
  const rows = list.texts.map(({ path, cells: [kind, order, title, ...cells] }) => ({
    key: path,
    cells: [
      `${kind} ${order}`,
      <FileLink key="title" path={path} label={title} list={list} />,
      ...cells,
      <span key="place" className="whitespace-nowrap">
        <DeskButton fields={{ intent: "move", path, by: "-1" }} variant="quiet">
          Up<span className="sr-only">: {title}</span>
        </DeskButton>
        <DeskButton fields={{ intent: "move", path, by: "1" }} variant="quiet">
          Down<span className="sr-only">: {title}</span>
        </DeskButton>
      </span>,
    ],
  }));
  const columns = ["Text", "Title", "Words", "Minutes", "Published", "Public", "Sound", "Move"];
  return (
    <>
      <DeskHeading title="Book" />
      <Notices list={list} refusal={refusal} />
      <DeskTable caption="Texts" columns={columns} rows={rows} empty="There is no text yet." />
      <FileList list={list} />
      <DeskSection title="Begin a text">
        <DeskLine fields={{ intent: "text" }} button="Begin">
          <TextField label="Title" name="title" required />
          <ChoiceField label="Kind" name="kind" options={KINDS} />
        </DeskLine>
      </DeskSection>
      <Media list={list} />
    </>
  );
}

const KINDS = [
  ["", "Chapter"],
  ["practice", "Practice"],
  ["notebook-page", "Notebook page"],
  ["audio-walk", "Audio walk"],
] as const;

/** The site: its words and pages, and its pictures. */
export function SitePage({ list, refusal }: ListPageProps) {
  return (
    <>
      <DeskHeading title="Site" />
      <Notices list={list} refusal={refusal} />
      <FileList list={list} />
      {!list.files.includes(SITE_FILE_NAME) && (
        <DeskSection title="Title, price, words and photographs">
          <DeskLine fields={{ intent: "site" }} button="Begin site.yml with what is shown now" />
        </DeskSection>
      )}
      <DeskSection title="Begin a page">
        <DeskLine fields={{ intent: "page" }} button="Begin">
          <TextField label="Name, such as privacy, imprint or terms" name="name" required />
        </DeskLine>
      </DeskSection>
      <Media list={list} />
    </>
  );
}

type Listed = { list: EditionList };

/** Links to the editors of files that are not in the table of texts. */
function FileList({ list }: Listed) {
  return (
    <ul className="desk-links">
      {list.files.map((path) => (
        <li key={path}>
          <FileLink path={path} label={path} list={list} />
        </li>
      ))}
    </ul>
  );
}

function FileLink({ path, label, list }: Listed & { path: string; label: string | undefined }) {
  return (
    <>
      <a href={editorPath(path)}>{label}</a>
      {list.drafts.includes(path) && <b className="desk-tag">Unsaved draft</b>}
    </>
  );
}

/** Why something was refused, and what an author has to know of the folder. */
function Notices({ list, refusal }: ListPageProps) {
  const { folder, hasEdition, unwritable, problems, notes } = list;
  return (
    <>
      <DeskProblems refusal={refusal} />
      {unwritable && (
        <p className="desk-notice">
          {unwritable} It is {folder}. Drafts and previews work as ever.
        </p>
      )}
      {!hasEdition && (
        <div className="desk-notice">
          <p>
            The book’s folder {folder} is empty, so readers see the sample. Begin with a text of
            your own, import a book with <code>golden-path content import</code>, or:
          </p>
          <DeskButton fields={{ intent: "sample" }}>Start from the sample</DeskButton>
        </div>
      )}
      {problems.length > 0 && (
        <DeskProblems
          refusal={{ message: "Readers keep the version without these mistakes:", problems }}
        />
      )}
      {notes.length > 0 && (
        <DeskProblems refusal={{ message: "Probably not meant:", problems: notes }} />
      )}
    </>
  );
}

/** The folder's pictures and sounds, and the form that uploads one. */
function Media({ list }: Listed) {
  const rows = list.media.map(({ path, isUnused }) => ({
    key: path,
    cells: [
      path,
      isUnused && (
        <DeskButton key="delete" fields={{ intent: "delete-file", path }} variant="quiet">
          Not used: delete<span className="sr-only"> {path}</span>
        </DeskButton>
      ),
    ],
  }));
  return (
    <DeskSection title="Pictures and sounds">
      <form method="post" encType="multipart/form-data" className="desk-actions">
        <label>
          <span className="field-label">
            A picture up to 2 MB, or an MP3 or M4A up to {UPLOAD_LIMIT / 1024 / 1024} MB
          </span>
          <input type="file" name="file" required className="field-input" />
        </label>
        <CheckField label="Replace the file of this name" name="replaces" />
        <DeskSubmit variant="secondary">Upload</DeskSubmit>
      </form>
      <DeskTable caption="Files" columns={["File", "Use"]} rows={rows} empty="There is none yet." />
      <p className="desk-hint">
        A text shows one with <code>![What it shows](../media/name.jpg)</code>, and site.yml names{" "}
        <code>media/name.jpg</code>. Put a larger sound, up to 500 MB, into the folder itself.
      </p>
    </DeskSection>
  );
}
