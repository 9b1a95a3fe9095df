import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor, requireWritingAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskHeading } from "~/features/desk/desk-parts";
import { nameOf } from "~/features/desk/letters/letter";
import { LetterEditor } from "~/features/desk/letters/letter-editor";
import { LETTERS_PATH, letterPath } from "~/features/desk/letters/letter-paths";
import { typedLetter } from "~/features/desk/letters/letter-text.server";
import * as letters from "~/features/desk/letters/letters.server";
import { keepForm } from "~/http/keep-form.server";
import { doneAt, refuse, textOf } from "~/http/page-answer.server";
import { readUpload, type Upload } from "~/http/request-body.server";
import { log } from "~/observability/log.server";

/** A letter of the longest text, percent-encoded; and a photograph that is too large, which must not cost the text. */
const UPLOAD = { field: "picture", limit: 16 * 1024 * 1024, textLimit: 1_000_000 };

export const meta = deskMeta("Letter");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const letter = await letters.loadLetter(args.params.id ?? "");
  if (!letter) throw new Response(null, { status: 404 });
  return letter;
}

/** Saves what was typed, and then does what the pressed button says. */
export async function action(args: ActionFunctionArgs) {
  const { id = "" } = args.params;
  const path = letterPath(id);
  const { fields, upload } = await readUpload(args.request, UPLOAD);
  if (fields.intent === "delete") {
    await letters.deleteLetter(await requireAuthor(args, "sensitive", path), id);
    return doneAt(LETTERS_PATH, "Draft deleted");
  }
  if (fields.body === undefined) {
    await requireAuthor(args, "work", path);
    return refuse({ message: "That file is far too large. Nothing was saved." });
  }
  const author = await requireWritingAuthor(args);
  if (!author) return keepForm(path);
  try {
    const draft = { id, version: Number(textOf(fields.version)) };
    const typed = typedLetter(fields);
    const outcome = await letters.saveLetter(author, draft, typed);
    if (outcome.kind === "gone") {
      const title = "That letter was sent or deleted meanwhile";
      const newPath = letterPath(await letters.newLetter(author, typed));
      return doneAt(newPath, title, "Your text is a new draft.");
    }
    if (outcome.kind === "conflict") return data({ ...outcome, typed }, { status: 422 });
  } catch (error) {
    log().error({ err: error }, "a letter could not be saved");
    return keepForm(path);
  }
  const [intent, name = ""] = textOf(fields.intent).split(/:(.*)/s);
  switch (intent) {
    case "send":
      return redirect(`${path}/send`, 303);
    case "test":
      return (await letters.testLetter(author, id))
        ? doneAt(path, "A test is on its way", `It goes to ${author.email}.`)
        : refuse({ message: "It was saved, but has to be mended before it can be tested." });
    case "picture":
      return addPicture(author, id, upload);
    case "remove":
      await letters.removePicture(author, id, name);
      return doneAt(path, `Deleted ${name}`);
    default:
      return doneAt(path, "Saved");
  }
}

type Author = Parameters<typeof letters.addPicture>[0];

async function addPicture(author: Author, id: string, upload: Upload) {
  if (upload.kind !== "file" || upload.name === "") {
    return refuse({ message: "Please choose a picture first." });
  }
  const picture = await letters.addPicture(author, id, upload);
  if ("problem" in picture) return refuse({ message: picture.problem });
  return doneAt(letterPath(id), `Added ${picture.name}`);
}

export default function DraftOfLetter() {
  const letter = useLoaderData<typeof loader>();
  const answer = useActionData() as Omit<Parameters<typeof LetterEditor>[0], "letter"> | undefined;
  return (
    <>
      <DeskHeading title={nameOf(letter.fields)} />
      <LetterEditor key={letter.id} letter={letter} {...answer} />
    </>
  );
}
