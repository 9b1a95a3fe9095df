import { PathDrawing } from "~/ui";

/** The page for every unknown URL, with links back to the book. */
export function NotFoundPage() {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="lost" />
      <h1 className="page-heading">Page not found</h1>
      <p className="lead">There’s nothing at this address. Try one of these pages.</p>
      <p className="mt-8 flex flex-wrap gap-3">
        <a href="/" className="button button-primary">
          Back to the home page
        </a>{" "}
        <a href="/#preview" className="button button-secondary">
          Read the preview
        </a>
      </p>
    </section>
  );
}
