import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, redirect, useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  DeskButton,
  DeskHeading,
  DeskLine,
  DeskProblems,
  DeskSection,
  DeskTable,
} from "~/features/desk/desk-parts";
import { LETTERS_PATH, letterPath, sentPath } from "~/features/desk/letters/letter-paths";
import { importLetter, listDrafts, newLetter } from "~/features/desk/letters/letters.server";
import { listSent } from "~/features/desk/letters/sent-letters.server";
import { formatCount } from "~/features/newsletter/format-count";
import { refuse } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";
import { TextField, UtcTime } from "~/ui";

export const meta = deskMeta("Letters");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const [drafts, sent] = await Promise.all([listDrafts(), listSent()]);
  return { drafts, sent };
}

/** Begins a letter: empty, or with a file's content. */
export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args, "work", LETTERS_PATH);
  const { fields, upload } = await readUpload(args.request, { field: "file", limit: 128 * 1024 });
  if (upload.kind === "too-large") return refuse({ message: "A letter has at most 128 KB." });
  if (fields.intent === "new") return redirect(letterPath(await newLetter(author)), 303);
  if (upload.kind === "missing" || upload.name === "") {
    return refuse({ message: "Please choose a file first." });
  }
  return redirect(letterPath(await importLetter(author, upload.bytes)), 303);
}

export default function Letters() {
  const { drafts, sent } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  return (
    <>
      <DeskHeading title="Letters">
        <DeskButton fields={{ intent: "new" }} variant="primary" action="?index">
          New letter
        </DeskButton>
      </DeskHeading>
      <DeskProblems refusal={answer?.refusal} />
      <DeskSection title="Drafts">
        <DeskTable
          caption="Drafts"
          columns={["Subject", "Saved"]}
          rows={drafts.map(({ id, name, savedAt }) => ({
            key: id,
            cells: [
              <Link key="name" to={letterPath(id)}>
                {name}
              </Link>,
              <UtcTime key="saved" at={savedAt} />,
            ],
          }))}
          empty="No letter is being written."
        />
      </DeskSection>
      <DeskSection title="Sent or scheduled">
        <DeskTable
          caption="Letters that were sent or scheduled"
          columns={["Subject", "Start", "Sent", "Failed", "State"]}
          rows={sent.map((letter) => ({
            key: letter.slug,
            cells: [
              <Link key="subject" to={sentPath(letter.slug)}>
                {letter.subject}
              </Link>,
              <UtcTime key="start" at={letter.startAt} />,
              `${formatCount(letter.sent)} of ${formatCount(letter.total)}`,
              formatCount(letter.failed),
              letter.phase,
            ],
          }))}
          empty="No letter has been sent yet."
        />
      </DeskSection>
      <DeskSection title="Import">
        <DeskLine
          action="?index"
          encType="multipart/form-data"
          fields={{ intent: "import" }}
          button="Import as a draft"
        >
          <TextField label="A letter’s Markdown file" name="file" type="file" accept=".md" />
        </DeskLine>
      </DeskSection>
    </>
  );
}
