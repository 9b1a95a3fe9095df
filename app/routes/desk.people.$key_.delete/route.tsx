import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { readableEmail } from "~/environment/email-address.server";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { findPerson } from "~/features/desk/people.server";
import { deletePerson } from "~/features/desk/people-changes.server";
import { PEOPLE_PATH } from "~/features/desk/people-paths";
import { PersonDeletionPage } from "~/features/desk/person-page";
import { describeDeletion } from "~/features/my-account/describe-deletion";
import { doneAt, found, refuse, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Delete an account");

async function accountOf({ params }: LoaderFunctionArgs) {
  const person = found(await findPerson(params.key ?? ""));
  return { ...person, member: found(person.member) };
}

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args, "sensitive");
  const { key, email, member } = await accountOf(args);
  return {
    key,
    email: readableEmail(email),
    deleted: describeDeletion(member, new Date()),
    isAtStripe: Boolean(member.profile?.stripeCustomerId),
  };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args, "sensitive");
  const typed = textsOf((await readForm(args.request)).fields);
  const { member } = await accountOf(args);
  const outcome = await deletePerson(author, member, typed);
  if (outcome.kind === "refused") return refuse({ message: outcome.message, typed });
  return doneAt(PEOPLE_PATH, outcome.title, outcome.note);
}

export default function PersonDeletion() {
  const refusal = useActionData<typeof action>()?.refusal;
  const { key: personKey, ...page } = useLoaderData<typeof loader>();
  return <PersonDeletionPage {...page} personKey={personKey} refusal={refusal} />;
}
