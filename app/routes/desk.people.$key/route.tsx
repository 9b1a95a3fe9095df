import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { isVerifiedFor, requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { findPerson, showPerson } from "~/features/desk/people.server";
import { changePerson, isSensitiveChange } from "~/features/desk/people-changes.server";
import { personPath } from "~/features/desk/people-paths";
import { PersonPage } from "~/features/desk/person-page";
import { doneAt, doneOrRefused, found, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Person");

export async function loader(args: LoaderFunctionArgs) {
  const author = await requireAuthor(args);
  const person = found(await findPerson(args.params.key ?? ""));
  if (person.key !== args.params.key) throw redirect(personPath(person.key));
  return { person: showPerson(person), isVerified: isVerifiedFor(author, "sensitive") };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const typed = textsOf((await readForm(args.request)).fields);
  if (isSensitiveChange(typed)) await requireAuthor(args, "sensitive");
  const person = found(await findPerson(args.params.key ?? ""));
  return doneOrRefused(async () => {
    const { path, did, url: link } = await changePerson(author, person, typed);
    if (link) return data({ refusal: null, link }, { headers: { "Cache-Control": "no-store" } });
    return doneAt(path, did);
  }, typed);
}

export default function Person() {
  const answer = useActionData<typeof action>();
  const link = answer && "link" in answer ? answer.link : null;
  return <PersonPage {...useLoaderData<typeof loader>()} refusal={answer?.refusal} link={link} />;
}
