import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  DeskTable,
} from "~/features/desk/desk-parts";
import { importKeptList, showList } from "~/features/desk/people-import.server";
import { IMPORT_PATH, listPath, PEOPLE_PATH } from "~/features/desk/people-paths";
import { doneAt, doneOrRefused, found, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { TextField } from "~/ui";

export const meta = deskMeta("Import subscribers");

// a long list is read for seconds, while other pages are rendered
export const handle: RouteHandle = { frame: "desk", inTurn: false };

export async function loader(args: LoaderFunctionArgs) {
  const author = await requireAuthor(args);
  const { id = "" } = args.params;
  return { id, list: found(await showList(author, id)) };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const typed = textsOf((await readForm(args.request)).fields);
  const { id = "" } = args.params;
  return doneOrRefused(async () => {
    const done = await importKeptList(author, id, typed.source);
    return doneAt(listPath(id), "The list is imported", done);
  }, typed);
}

/** An uploaded list: its first rows and what an import would do. */
export default function List() {
  const { id, list } = useLoaderData<typeof loader>();
  const { name, columns, rows, counts, reasons, toAdd } = list;
  const refusal = useActionData<typeof action>()?.refusal;
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
            maxLength={200}
            required
            defaultValue={refusal?.typed?.source}
          />
          <p className="desk-hint">
            The answer, such as “sign-up sheet, May 2026”, is kept as proof of consent. Whoever is
            added gets your next letter.
          </p>
          <DeskSubmit>Import {toAdd === 1 ? "1 address" : `${toAdd} addresses`}</DeskSubmit>
        </Form>
      </DeskSection>
    </>
  );
}
