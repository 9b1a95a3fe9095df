import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { ImportPage } from "~/features/desk/import-page";
import { addPerson } from "~/features/desk/people-changes.server";
import { keepList, LIST_LIMIT } from "~/features/desk/people-import.server";
import { listPath, PEOPLE_PATH, personPath } from "~/features/desk/people-paths";
import { doneAt, doneOrRefused, refuse, textsOf } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";

export const meta = deskMeta("Import subscribers");

const MEGABYTES = LIST_LIMIT / 1024 / 1024;

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return { megabytes: MEGABYTES };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { upload, fields } = await readUpload(args.request, { field: "list", limit: LIST_LIMIT });
  switch (upload.kind) {
    case "file":
      return redirect(listPath(await keepList(author, upload)), 303);
    case "too-large":
      return refuse({
        message: `The file is larger than ${MEGABYTES} MB. Split it, or use the command subscribers import.`,
      });
    case "missing": {
      const typed = textsOf(fields);
      return doneOrRefused(async () => {
        const { key, did, note } = await addPerson(author, typed);
        return doneAt(key ? personPath(key) : PEOPLE_PATH, did, note);
      }, typed);
    }
  }
}

export default function Import() {
  const refusal = useActionData<typeof action>()?.refusal;
  return <ImportPage {...useLoaderData<typeof loader>()} refusal={refusal} />;
}
