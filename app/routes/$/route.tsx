import { data, type MetaFunction } from "@remix-run/node";
import { notFoundMeta } from "~/features/seo/page-meta";
import { NotFoundPage } from "~/shell/not-found-page";

export const meta: MetaFunction = ({ matches }) => notFoundMeta(matches);

export const loader = () => data(null, { status: 404 });

export const action = () => {
  throw new Response(null, { status: 404 });
};

export default NotFoundPage;

/** A form posted to an unknown URL gets the same page, within the site's layout. */
export function ErrorBoundary() {
  return <NotFoundPage />;
}
