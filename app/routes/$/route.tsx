import { data, type MetaFunction } from "@remix-run/node";
import { pageTitle } from "~/features/seo/page-title";
import { NotFoundPage } from "~/shell/not-found-page";

export const meta: MetaFunction = () => [
  { title: pageTitle("Page not found") },
  { name: "robots", content: "noindex" },
];

export const loader = () => data(null, { status: 404 });

export const action = () => {
  throw new Response(null, { status: 404 });
};

export default NotFoundPage;

/** A form posted to an unknown URL gets the same page, within the site's layout. */
export function ErrorBoundary() {
  return <NotFoundPage />;
}
