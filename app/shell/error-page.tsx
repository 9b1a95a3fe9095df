import { isRouteErrorResponse } from "@remix-run/react";
import type { PageSite } from "~/features/site/page-site";
import { PathDrawing } from "~/ui";
import { NotFoundPage } from "./not-found-page";
import { SiteMark } from "./site-mark";

type ErrorWords = { status: number; title: string; text: string };

const WORDS: Record<number, Omit<ErrorWords, "status">> = {
  400: { title: "That request did not make sense", text: "Please go back and try it once more." },
  403: {
    title: "That is not allowed",
    text: "This request came from somewhere it may not come from.",
  },
  404: { title: "Page not found", text: "There is nothing at this address." },
  405: {
    title: "That is not possible here",
    text: "This address does not take that kind of request.",
  },
  413: { title: "That was too large", text: "Please send less at once." },
  415: { title: "That format is not understood", text: "Please use the forms of this site." },
  429: { title: "Too many tries", text: "Please wait a little and try again." },
  503: {
    title: "We will be right back",
    text: "The site cannot answer this just now. Please try again in a moment.",
  },
};

const UNEXPECTED = {
  title: "Something went wrong",
  text: "The fault is ours and has been noted. Please try again in a moment.",
};

/**
 * The status, heading and message for whatever a route threw. A thrown Response's own message is used when it
 * is short plain text; no other error's details reach the page.
 */
export function describeError(error: unknown): ErrorWords {
  if (!isRouteErrorResponse(error)) return { status: 500, ...UNEXPECTED };
  const words = WORDS[error.status] ?? UNEXPECTED;
  // Remix's own messages contain route ids and are for developers.
  const own =
    typeof error.data === "string" && error.data !== "" && !error.data.startsWith("Error:")
      ? error.data
      : words.text;
  return { status: error.status, title: words.title, text: own.length <= 200 ? own : words.text };
}

/** The whole page in place of one that failed. Needs no loader data, JavaScript or providers. */
export function ErrorPage({ error, site }: { error: unknown; site: PageSite | null }) {
  const { status, title, text } = describeError(error);
  return (
    <>
      <header className="site-header">
        <div className="frame flex h-full items-center">
          <a href="/" className="brand">
            <SiteMark site={site} />
            {site?.title ?? "Home"}
          </a>
        </div>
      </header>
      <main id="main" className="grow">
        {status === 404 ? (
          <NotFoundPage />
        ) : (
          <section className="frame outcome-page">
            <PathDrawing shows="turned" />
            <h1 className="page-heading">{title}</h1>
            <p className="lead">{text}</p>
            <p className="mt-8 flex flex-wrap gap-3">
              <a href="/" className="button button-primary">
                Back to the beginning
              </a>
            </p>
          </section>
        )}
      </main>
    </>
  );
}
