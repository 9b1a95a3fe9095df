import { data, type LoaderFunction } from "@remix-run/node";

/** The root route shows the page for unknown addresses, here and wherever else a 404 is thrown. */
export const loader: LoaderFunction = () => {
  throw new Response(null, { status: 404 });
};

/** A form posted to an unknown URL gets the same page: after the action Remix runs the loader. */
export const action = () => data(null, { status: 404 });

export default function Unknown() {
  return null;
}
