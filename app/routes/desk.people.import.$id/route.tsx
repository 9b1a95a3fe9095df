import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { ListPage } from "~/features/desk/import-page";
import { importKeptList, showList } from "~/features/desk/people-import.server";
import { listPath } from "~/features/desk/people-paths";
import { doneAt, doneOrRefused, found, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

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

export default function List() {
  const refusal = useActionData<typeof action>()?.refusal;
  return <ListPage {...useLoaderData<typeof loader>()} refusal={refusal} />;
}
