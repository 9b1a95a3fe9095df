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
  DeskTable,
} from "../desk-parts";
import type { EditionList } from "./edition-files.server";
import { editorPath, UPLOAD_RULE } from "./edition-paths";

const KINDS = [
  ["chapter", "Chapter"],
  ["practice", "Practice"],
  ["notebook-page", "Notebook page"],
  ["audio-walk", "Audio walk"],
] as const;

type Listed = { list: EditionList };

type EditionPageProps = Listed & { refusal: FormRefusal | null; isBook: boolean };

/** The book, with its texts in their order, or the site, with its words and pages; pictures and sounds; and how to begin a file. */
export function EditionPage({ list, refusal, isBook }: EditionPageProps) {
  return (
    <>
      <DeskHeading title={isBook ? "Book" : "Site"} />
      <DeskProblems refusal={refusal} />
      <Notices list={list} />
      {isBook && <Texts list={list} />}
      <ul className="desk-links">
        {list.files.map((path) => (
          <li key={path}>
            <FileLink path={path} label={path} list={list} />
          </li>
        ))}
      </ul>
      {!isBook && !list.files.includes("site.yml") && (
        <DeskButton fields={{ intent: "begin", kind: "site" }}>
          Begin site.yml with what is shown now
        </DeskButton>
      )}
      {isBook ? (
        <DeskSection title="Begin a text">
          <DeskLine fields={{ intent: "begin" }} button="Begin">
            <TextField label="Title" name="title" required />
            <ChoiceField label="Kind" name="kind" options={KINDS} />
          </DeskLine>
        </DeskSection>
      ) : (
        <DeskSection title="Begin a page">
          <DeskLine fields={{ intent: "begin", kind: "page" }} button="Begin">
            <TextField label="Name, such as privacy, imprint or terms" name="title" required />
          </DeskLine>
        </DeskSection>
      )}
      <Media list={list} />
    </>
  );
}

const COLUMNS = ["Text", "Title", "Words", "Minutes", "Published", "Public", "Sound", "Move"];

const MOVES = [
  ["Up", "-1"],
  ["Down", "1"],
] as const;

function Texts({ list }: Listed) {
  const rows = list.texts.map(({ path, cells: [kind, order, title, ...cells] }) => ({
    key: path,
    cells: [
      `${kind} ${order}`,
      <FileLink key="title" path={path} label={title} list={list} />,
      ...cells,
      <div key="place" className="whitespace-nowrap">
        {MOVES.map(([label, by]) => (
          <DeskButton key={by} fields={{ intent: "move", path, by }} variant="quiet">
            {label}
            <span className="sr-only">: {title}</span>
          </DeskButton>
        ))}
      </div>,
    ],
  }));
  return <DeskTable caption="Texts" columns={COLUMNS} rows={rows} empty="There is no text yet." />;
}

type FileLinkProps = Listed & { path: string; label: string | undefined };

function FileLink({ path, label, list }: FileLinkProps) {
  return (
    <>
      <a href={editorPath(path)}>{label}</a>
      {list.drafts.includes(path) && <b className="desk-tag">Unpublished changes</b>}
    </>
  );
}

/** What an author has to know of the folder, and what is wrong in it. */
function Notices({ list: { folder, hasEdition, unwritable, problems, notes } }: Listed) {
  return (
    <>
      {unwritable && <p className="desk-notice">{unwritable}</p>}
      {!hasEdition && (
        <div className="desk-notice">
          <p>
            The book’s folder {folder} is empty, so readers see the sample. Begin with a text of
            your own, import a book with <code>golden-path content import</code>, or:
          </p>
          <DeskButton fields={{ intent: "sample" }}>Start from the sample</DeskButton>
        </div>
      )}
      <DeskProblems
        refusal={{ message: "Readers keep the version without these mistakes:", problems }}
      />
      <DeskProblems refusal={{ message: "Probably not meant:", problems: notes }} />
    </>
  );
}

/** The folder's pictures and sounds, and the form that uploads one. */
function Media({ list }: Listed) {
  return (
    <DeskSection title="Pictures and sounds">
      <DeskLine reloadDocument encType="multipart/form-data" fields={{}} button="Upload">
        <TextField label={UPLOAD_RULE} name="file" type="file" required />
        <CheckField label="Replace the file of this name" name="replaces" />
      </DeskLine>
      <ul className="desk-links">
        {list.media.map((path) => (
          <li key={path}>
            {path}
            <DeskButton fields={{ intent: "delete-file", path }} variant="quiet">
              Delete<span className="sr-only"> {path}</span>
            </DeskButton>
          </li>
        ))}
      </ul>
      <p className="desk-hint">
        A text shows one with <code>![What it shows](../media/name.jpg)</code>, and site.yml names{" "}
        <code>media/name.jpg</code>. Put a larger sound, up to 500 MB, into the folder itself.
      </p>
    </DeskSection>
  );
}
