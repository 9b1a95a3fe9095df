import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskHeading } from "~/features/desk/desk-parts";

export const meta = deskMeta("Today");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return null;
}

export default function Today() {
  return <DeskHeading title="Today" />;
}
