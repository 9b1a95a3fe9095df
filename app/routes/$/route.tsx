import { type ActionFunctionArgs, data, type LoaderFunction } from "@remix-run/node";
import { keptForm } from "~/features/accounts/unsaved-form";
import { findSession } from "~/features/accounts/viewer.server";
import { keepForm } from "~/http/keep-form.server";

/** The root route shows the page for unknown addresses, here and wherever else a 404 is thrown. */
export const loader: LoaderFunction = () => {
  throw new Response(null, { status: 404 });
};

/**
 * A form posted to an unknown URL gets the same page: after the action Remix runs the loader. While the database is down an
 * author is not known as one, so a text for the desk is kept.
 */
export async function action(args: ActionFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const kept = keptForm(pathname + search);
  if (kept && (await findSession(args)) === "unknown") return keepForm(kept.to);
  return data(null, { status: 404 });
}

export default function Unknown() {
  return null;
}
