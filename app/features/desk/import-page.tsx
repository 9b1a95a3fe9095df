import { Form, Link, useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import { formatCount } from "~/features/newsletter/format-count";
import type { FormRefusal } from "~/http/form-refusal";
import { EmailField } from "~/ui";
import { DeskHeading, DeskProblems, DeskSection, DeskSubmit, DeskTable } from "./desk-parts";
import type { ListView } from "./people-import.server";
import { IMPORT_PATH, PEOPLE_PATH, refusedRowsPath } from "./people-paths";
import { ConsentField } from "./person-page";

type ImportPageProps = { megabytes: number; refusal: FormRefusal | null | undefined };

/** Takes a list to be imported, or a single address. */
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
        <div>
          <label htmlFor="list" className="field-label">
            File
          </label>
          <input id="list" name="list" type="file" required accept=".csv,.txt,.tsv,text/*" />
        </div>
        <DeskSubmit>Look at the list</DeskSubmit>
      </Form>
      <DeskSection title="Add one address">
        <Form method="post" className="desk-form">
          <EmailField autoComplete="email" label="Address" defaultValue={refusal?.typed?.email} />
          <ConsentField typed={refusal?.typed?.source} />
          <DeskSubmit variant="secondary">Add to the newsletter</DeskSubmit>
        </Form>
      </DeskSection>
    </>
  );
}

type ListPageProps = { id: string; list: ListView; refusal: FormRefusal | null | undefined };

/** An uploaded list: what an import would do, or did. */
export function ListPage({ id, list, refusal }: ListPageProps) {
  return (
    <>
      <DeskHeading title={list.name}>
        <Link to={IMPORT_PATH}>Another list</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <ListState id={id} list={list} typed={refusal?.typed?.source} />
    </>
  );
}

function ListState({ id, list, typed }: Omit<ListPageProps, "refusal"> & { typed?: string }) {
  switch (list.kind) {
    case "running":
      return <RunningImport />;
    case "unusable":
      return <DeskProblems refusal={{ message: list.problem }} />;
    case "imported":
      return (
        <>
          <p role="status">The list is imported, and the file is deleted.</p>
          <ListResult id={id} list={list} title="What was done" />
          <Link to={PEOPLE_PATH}>See all people</Link>
        </>
      );
    case "waiting":
      return (
        <>
          <ListBeginning list={list} />
          <ListResult id={id} list={list} title="What an import will do" />
          <DeskSection title="Import">
            <Form method="post" className="desk-form">
              <ConsentField typed={typed} />
              <p className="desk-hint">
                The answer is kept as proof of consent. Whoever is added gets your next letter.
              </p>
              <DeskSubmit>
                Import {list.toAdd === 1 ? "1 address" : `${formatCount(list.toAdd)} addresses`}
              </DeskSubmit>
            </Form>
          </DeskSection>
        </>
      );
  }
}

/** Reloads the page every two seconds where scripts run. */
function RunningImport() {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const timer = setInterval(revalidate, 2_000);
    return () => clearInterval(timer);
  }, [revalidate]);
  return <p role="status">The list is being imported. Reload this page to see the result.</p>;
}

type Described = Extract<ListView, { kind: "waiting" | "imported" }>;

const USES = { address: "address", status: "who gets mail", consent: "date of consent" };

function ListBeginning({ list: { columns = [], rows = [], isGuessed } }: { list: Described }) {
  const names = columns.map(({ name, use }, index) => {
    // also without a name, and with the same name twice
    const isUnique = name !== "" && columns.findIndex((column) => column.name === name) === index;
    const unique = isUnique ? name : `${name} (column ${index + 1})`;
    return use ? `${unique}: ${USES[use]}` : unique;
  });
  return (
    <DeskSection title="First rows">
      {isGuessed && (
        <p className="desk-hint">
          The file is not valid UTF-8, and was read as Windows-1252. Look whether letters with
          accents are right.
        </p>
      )}
      <DeskTable
        caption="First rows of the list"
        columns={names}
        empty="There are no rows."
        rows={rows.map((row, index) => ({
          key: String(index),
          cells: names.map((_, column) => row[column] ?? ""),
        }))}
      />
    </DeskSection>
  );
}

type ListResultProps = { id: string; list: Described; title: string };

function ListResult({ id, list: { counts, reasons }, title }: ListResultProps) {
  return (
    <>
      <DeskSection title={title}>
        <DeskTable
          caption="Addresses by what happens to them"
          columns={["Addresses", "What"]}
          empty=""
          rows={counts.map(([count, what]) => ({ key: what, cells: [formatCount(count), what] }))}
        />
      </DeskSection>
      {reasons.length > 0 && (
        <DeskSection title="Left out, and why">
          <DeskTable
            caption="Rows left out by reason"
            columns={["Rows", "Reason"]}
            empty=""
            rows={reasons.map(([reason, count]) => ({
              key: reason,
              cells: [formatCount(count), reason],
            }))}
          />
          <p className="desk-below">
            <a href={refusedRowsPath(id)}>Download these rows</a> as CSV
          </p>
        </DeskSection>
      )}
    </>
  );
}
