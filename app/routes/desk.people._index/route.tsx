import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { listPeople } from "~/features/desk/people.server";
import { PeoplePage } from "~/features/desk/people-page";

export const meta = deskMeta("People");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const { searchParams } = new URL(args.request.url);
  const asked = (name: string) => searchParams.get(name) ?? "";
  return listPeople({ match: asked("match"), group: asked("group"), after: asked("after") });
}

export default function People() {
  const list = useLoaderData<typeof loader>();
  // the form's fields keep what was typed, so another search begins with new ones
  return <PeoplePage key={`${list.group} ${list.match}`} {...list} />;
}
