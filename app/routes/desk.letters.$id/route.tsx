import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { TEXT_LIMIT } from "~/features/desk/desk-paths";
import { LetterEditor } from "~/features/desk/letters/letter-editor";
import { LETTERS_PATH, letterPath } from "~/features/desk/letters/letter-paths";
import { typedLetter } from "~/features/desk/letters/letter-text.server";
import * as letters from "~/features/desk/letters/letters.server";
import { doneOrKept } from "~/http/keep-form.server";
import { doneAt, doneOrRefused, found, refuse, textOf, textsOf } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";

/** Also a photograph that is too large must not cost the text. */
const UPLOAD = { field: "picture", limit: 16 * 1024 * 1024, textLimit: TEXT_LIMIT };

export const meta = deskMeta("Letter");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return found(await letters.loadLetter(args.params.id ?? ""));
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
  const author = await requireAuthor(args, "work", path, fields.body);
  if (fields.body === undefined) {
    return refuse({ message: "That file is far too large. Nothing was saved." });
  }
  const typed = typedLetter(fields);
  const work = async () => {
    if (!(await letters.saveLetter(author, { id, version: Number(fields.version) }, typed))) {
      const theirs = await letters.findLetter(id);
      if (theirs) return refuse(conflictWith(theirs, textsOf(fields)));
      const newPath = letterPath(await letters.newLetter(author, typed));
      const title = "That letter was sent or deleted meanwhile";
      return doneAt(newPath, title, "Your text is a new draft.");
    }
    const [intent, name = ""] = textOf(fields.intent).split(/:(.*)/s);
    switch (intent) {
      case "send":
        return redirect(`${path}/send`, 303);
      case "test":
        await letters.testLetter(author, id);
        return doneAt(path, "A test is on its way", `It goes to ${author.email}.`);
      case "picture":
        return doneAt(path, `Added ${await letters.addPicture(author, id, upload)}`);
      case "remove":
        await letters.removePicture(author, id, name);
        return doneAt(path, `Deleted ${name}`);
      default:
        return doneAt(path, "Draft saved");
    }
  };
  return doneOrKept(path, fields.body, () => doneOrRefused(work));
}

type Draft = NonNullable<Awaited<ReturnType<typeof letters.findLetter>>>;

/** The refusal of a letter that another author has saved meanwhile, with both versions. */
const conflictWith = ({ version, content }: Draft, typed: Record<string, string>) => ({
  message: "Another author has saved this letter. Both are here; saved again, yours replaces it.",
  typed: { premium: "", ...typed, version: String(version), theirs: content },
});

export default function DraftOfLetter() {
  const letter = useLoaderData<typeof loader>();
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  return <LetterEditor letter={letter} refusal={refusal} />;
}
