import { Form } from "@remix-run/react";
import type { FormRefusal } from "~/http/form-refusal";
import { ButtonLink, TextField, UtcTime } from "~/ui";
import {
  ChoiceField,
  DeskButton,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  DeskTable,
  HiddenFields,
} from "../desk-parts";
import { editorPath, FILES_PATH } from "./edition-paths";
import { FolderNotices } from "./folder-notices";
import type { Listed, ListedText } from "./list-texts.server";

const COLUMNS = ["Text", "Readers get it", "Words", "Minutes", "Sound", "For", "Place"];

const KINDS = [
  ["", "Chapter"],
  ["practice", "Practice"],
  ["notebook-page", "Notebook page"],
  ["audio-walk", "Audio walk"],
] as const;

type BookPageProps = {
  listed: Listed & { texts: ListedText[] };
  refusal: FormRefusal | null;
};

/** The book's texts in their order, and how to begin another. */
export function BookPage({ listed, refusal }: BookPageProps) {
  const { texts, drafts } = listed;
  const newDrafts = drafts.filter(({ hasFile }) => !hasFile);
  const list = (kind: ListedText["kind"], caption: string, empty: string) => (
    <DeskTable
      caption={caption}
      columns={COLUMNS}
      empty={empty}
      rows={texts
        .filter((text) => text.kind === kind)
        .map((text, index, all) =>
          rowOf(text, { listed, isFirst: index === 0, isLast: index === all.length - 1 }),
        )}
    />
  );
  return (
    <>
      <DeskHeading title="Book">
        <ButtonLink to={FILES_PATH} variant="secondary" className="button-compact">
          Pictures and sounds
        </ButtonLink>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <FolderNotices listed={listed} />
      {newDrafts.length > 0 && (
        <DeskSection title="New, not in the book yet">
          <FileLinks paths={newDrafts.map(({ path }) => path)} />
        </DeskSection>
      )}
      <DeskSection title="Chapters">
        {list("chapter", "Chapters", "There is no chapter yet.")}
      </DeskSection>
      <DeskSection title="Extras">{list("extra", "Extras", "There is no extra yet.")}</DeskSection>
      <DeskSection title="Begin a text">
        <Form method="post" className="desk-actions">
          <HiddenFields fields={{ intent: "new" }} />
          <TextField label="Title" name="title" maxLength={120} required />
          <ChoiceField label="Kind" name="kind" options={KINDS} />
          <DeskSubmit>Begin</DeskSubmit>
        </Form>
      </DeskSection>
    </>
  );
}

/** Links to the editors of files. */
export function FileLinks({
  paths,
  unsaved = [],
}: {
  paths: readonly string[];
  /** Those of them with a draft. */
  unsaved?: readonly string[];
}) {
  return (
    <ul className="desk-links">
      {paths.map((path) => (
        <li key={path}>
          <a href={editorPath(path)}>{path}</a>
          {unsaved.includes(path) && <UnsavedMark />}
        </li>
      ))}
    </ul>
  );
}

const UnsavedMark = () => <b className="desk-tag">Unsaved draft</b>;

type Place = { listed: Listed; isFirst: boolean; isLast: boolean };

function rowOf(text: ListedText, { listed, isFirst, isLast }: Place) {
  const { path, title, state, words, minutes, sound, isPublic } = text;
  const hasDraft = listed.drafts.some((draft) => draft.path === path);
  const move = (by: string, label: string) => (
    <DeskButton fields={{ intent: "move", path, by }} variant="quiet">
      {label}
      <span className="sr-only"> “{title}”</span>
    </DeskButton>
  );
  return {
    key: path,
    cells: [
      <>
        <a href={editorPath(path)}>{title}</a>
        {hasDraft && <UnsavedMark />}
      </>,
      typeof state === "object" ? (
        <>
          From <UtcTime at={state.from} />
        </>
      ) : state === "draft" ? (
        "Not yet"
      ) : (
        "Now"
      ),
      words?.toLocaleString("en") ?? "?",
      minutes ?? "?",
      sound,
      isPublic ? "Everyone" : "Members",
      <span key="move" className="whitespace-nowrap">
        {!isFirst && move("-1", "Up")} {!isLast && move("1", "Down")}
      </span>,
    ],
  };
}
