import { Form, Link } from "@remix-run/react";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
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
        imported. The file is deleted after a day.
      </p>
      <Form method="post" encType="multipart/form-data" className="desk-form desk-below">
        <TextField label="File" name="list" type="file" required />
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

/** An uploaded list: its first rows and what an import would do. */
export function ListPage({ id, list, refusal }: ListPageProps) {
  const { name, columns, rows, counts, reasons, toAdd } = list;
  return (
    <>
      <DeskHeading title={name}>
        <Link to={IMPORT_PATH}>Another list</Link>
        <Link to={PEOPLE_PATH}>All people</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <DeskTable
        caption="First rows of the list"
        columns={columns}
        empty="It has no rows."
        rows={rows.map((row, index) => ({
          key: String(index),
          cells: columns.map((_, column) => row[column]),
        }))}
      />
      <DeskSection title="What an import will do">
        <DeskFacts facts={counts.map(([count, what]) => [what, count])} />
      </DeskSection>
      {reasons.length > 0 && (
        <DeskSection title="Rows left out, and why">
          <DeskFacts facts={reasons} />
          <p>
            <a href={`${listPath(id)}/refused.csv`}>Download these rows</a> as CSV
          </p>
        </DeskSection>
      )}
      <DeskSection title="Import">
        <Form method="post" className="desk-form">
          <TextField
            label="How did they agree to get the newsletter?"
            name="source"
            placeholder="Sign-up sheet at the book fair, May 2026"
            maxLength={200}
            required
            defaultValue={refusal?.typed?.source}
          />
          <p className="desk-hint">
            The answer is kept as proof of consent. Whoever is added gets your next letter.
          </p>
          <DeskSubmit>Import {toAdd === 1 ? "1 address" : `${toAdd} addresses`}</DeskSubmit>
        </Form>
      </DeskSection>
    </>
  );
}
