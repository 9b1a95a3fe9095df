import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { findPerson, showPerson } from "~/features/desk/people.server";
import { changePerson, isSensitiveChange } from "~/features/desk/people-changes.server";
import { PEOPLE_PATH, personPath } from "~/features/desk/people-paths";
import { PersonPage } from "~/features/desk/person-page";
import { doneAt, found, refuse, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Person");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const person = found(await findPerson(args.params.key ?? ""));
  if (person.key !== args.params.key) throw redirect(personPath(person.key));
  return showPerson(person);
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const typed = textsOf((await readForm(args.request)).fields);
  if (isSensitiveChange(typed)) await requireAuthor(args, "sensitive");
  const person = found(await findPerson(args.params.key ?? ""));
  const outcome = await changePerson(author, person, typed);
  switch (outcome.kind) {
    case "done": {
      const to = outcome.key ? personPath(outcome.key) : PEOPLE_PATH;
      return doneAt(to, outcome.title, outcome.note);
    }
    case "link":
      return data(
        { refusal: null, link: outcome.url },
        { headers: { "Cache-Control": "no-store" } },
      );
    case "refused":
      return refuse({ message: outcome.message, typed });
  }
}

export default function Person() {
  const answer = useActionData<typeof action>();
  const link = answer && "link" in answer ? answer.link : null;
  return (
    <PersonPage person={useLoaderData<typeof loader>()} refusal={answer?.refusal} link={link} />
  );
}
