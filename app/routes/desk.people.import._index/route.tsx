import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { Form, Link, useActionData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskHeading, DeskProblems, DeskSubmit } from "~/features/desk/desk-parts";
import { keepList } from "~/features/desk/people-import.server";
import { LIST_MEGABYTES, listPath, PEOPLE_PATH } from "~/features/desk/people-paths";
import { doneOrRefused, refuse } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";
import { TextField } from "~/ui";

export const meta = deskMeta("Import subscribers");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return null;
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const limit = LIST_MEGABYTES * 1024 * 1024;
  const { upload } = await readUpload(args.request, { field: "list", limit });
  switch (upload.kind) {
    case "file":
      return doneOrRefused(async () => redirect(listPath(await keepList(author, upload)), 303));
    case "too-large":
      return refuse({ message: `The file is larger than ${LIST_MEGABYTES} MB. Split it.` });
    case "missing":
      return refuse({ message: "Choose a file." });
  }
}

/** Takes a list to be imported, which may be a single address. */
export default function Import() {
  const refusal = useActionData<typeof action>()?.refusal;
  return (
    <>
      <DeskHeading title="Import subscribers">
        <Link to={PEOPLE_PATH}>All people</Link>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <p>
        A CSV file with a column of addresses, as other newsletter programs export it, or one
        address per line; at most {LIST_MEGABYTES} MB. You see what would happen before anything is
        imported. The file is deleted after a day.
      </p>
      <Form method="post" encType="multipart/form-data" className="desk-form desk-below">
        <TextField label="File" name="list" type="file" required />
        <DeskSubmit>Look at the list</DeskSubmit>
      </Form>
    </>
  );
}
