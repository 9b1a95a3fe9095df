import { isRouteErrorResponse } from "@remix-run/react";
import type { PageSite } from "~/features/site/page-site";
import { PathDrawing } from "~/ui";
import { NotFoundPage } from "./not-found-page";
import { SiteMark } from "./site-mark";

type ErrorWords = { status: number; title: string; text: string };

const WORDS: Record<number, Omit<ErrorWords, "status">> = {
  400: { title: "That request didn’t make sense", text: "Please go back and try again." },
  403: {
    title: "That isn’t allowed",
    text: "This request came from somewhere we don’t accept.",
  },
  404: { title: "Page not found", text: "There’s nothing at this address." },
  405: {
    title: "That isn’t possible here",
    text: "This address doesn’t accept that kind of request.",
  },
  413: { title: "That was too large", text: "Please send less at a time." },
  415: { title: "That format isn’t supported", text: "Please use the forms on this site." },
  429: { title: "Too many tries", text: "Please wait a moment and try again." },
  503: {
    title: "We’ll be right back",
    text: "The site can’t answer right now. Please try again in a moment.",
  },
};

const UNEXPECTED = {
  title: "Something went wrong",
  text: "It’s our fault, and we’ve logged it. Please try again in a moment.",
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
                Back to the home page
              </a>
            </p>
          </section>
        )}
      </main>
    </>
  );
}
