import { Form, Link } from "@remix-run/react";
import type { FormRefusal } from "~/http/form-refusal";
import {
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  DeskTable,
} from "./desk-parts";
import type { showList } from "./people-import.server";
import { IMPORT_PATH, listPath, PEOPLE_PATH } from "./people-paths";
import { ConsentField } from "./person-page";

type ImportPageProps = { megabytes: number; refusal: FormRefusal | null | undefined };

/** Takes a list to be imported, which may be a single address. */
export function ImportPage({ megabytes, refusal }: ImportPageProps) {
  return (
    <>
      <DeskHeading title="Import subscribers">
        <Link to={PEOPLE_PATH}>All people</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <p>
        A CSV file with a column of addresses, as other newsletter programs export it, or one
        address per line; at most {megabytes} MB. You see what would happen before anything is
        imported. The file is deleted once it is imported, or after a day.
      </p>
      <Form method="post" encType="multipart/form-data" className="desk-form desk-below">
        <label>
          <span className="field-label">File</span>
          <input name="list" type="file" required />
        </label>
        <DeskSubmit>Look at the list</DeskSubmit>
      </Form>
    </>
  );
}

type ListPageProps = {
  id: string;
  list: NonNullable<Awaited<ReturnType<typeof showList>>>;
  refusal: FormRefusal | null | undefined;
};

/** An uploaded list: its first rows and what an import would do, or what it did. */
export function ListPage({ id, list, refusal }: ListPageProps) {
  const { name, isImported, problem, columns, rows, counts, reasons, toAdd } = list;
  return (
    <>
      <DeskHeading title={name}>
        <Link to={IMPORT_PATH}>Another list</Link>
      </DeskHeading>
      <DeskProblems refusal={problem ? { message: problem } : refusal} />
      {isImported && (
        <p role="status">
          The list is imported, and the file is deleted.{" "}
          <Link to={PEOPLE_PATH}>See all people</Link>
        </p>
      )}
      {rows.length > 0 && (
        <DeskTable
          caption="First rows of the list"
          columns={columns}
          empty=""
          rows={rows.map((row, index) => ({
            key: String(index),
            cells: columns.map((_, column) => row[column]),
          }))}
        />
      )}
      {counts.length > 0 && (
        <DeskSection title={isImported ? "What was done" : "What an import will do"}>
          <DeskFacts facts={counts.map(([count, what]) => [what, count])} />
        </DeskSection>
      )}
      {reasons.length > 0 && (
        <DeskSection title="Rows left out, and why">
          <DeskFacts facts={reasons.map(([count, why]) => [why, count])} />
          <p>
            <a href={`${listPath(id)}/refused.csv`}>Download these rows</a> as CSV
          </p>
        </DeskSection>
      )}
      {!problem && !isImported && (
        <DeskSection title="Import">
          <Form method="post" className="desk-form">
            <ConsentField typed={refusal?.typed?.source} />
            <p className="desk-hint">
              The answer is kept as proof of consent. Whoever is added gets your next letter.
            </p>
            <DeskSubmit>Import {toAdd === 1 ? "1 address" : `${toAdd} addresses`}</DeskSubmit>
          </Form>
        </DeskSection>
      )}
    </>
  );
}
