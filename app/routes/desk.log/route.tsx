import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { listChanges } from "~/features/desk/desk-log.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskHeading, DeskTable, Pager } from "~/features/desk/desk-parts";
import { pageOf } from "~/http/page-answer.server";
import { UtcTime } from "~/ui";

export const meta = deskMeta("Log");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return listChanges(pageOf(args.request));
}

export default function Log() {
  const { changes, page, hasNext } = useLoaderData<typeof loader>();
  return (
    <>
      <DeskHeading title="Log" />
      <DeskTable
        caption="What was done at the desk"
        columns={["When", "Who", "What", "Account"]}
        rows={changes.map(({ id, at, by, what, about }) => ({
          key: id,
          cells: [<UtcTime key="at" at={at} />, by ?? "a deleted account", what, about],
        }))}
        empty="Nothing has been changed at the desk yet."
      />
      <Pager
        links={{
          Newer: page > 1 ? `?page=${page - 1}` : null,
          Older: hasNext ? `?page=${page + 1}` : null,
        }}
      />
    </>
  );
}
