import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { describeError, ErrorPage } from "./error-page";

/** What Remix makes of a thrown Response, or of its own refusals. */
const routeError = (status: number, data: unknown) => ({
  status,
  statusText: "",
  internal: false,
  data,
});
const page = (error: unknown) => renderToStaticMarkup(<ErrorPage error={error} />);

describe("the error page", () => {
  it("shows nothing of an unexpected error", () => {
    const html = page(new Error("connect ECONNREFUSED 10.0.0.1:5432"));
    expect(html).toContain("Something went wrong");
    expect(html).not.toContain("ECONNREFUSED");
    expect(html).not.toMatch(/\.tsx?:\d/);
  });

  it("shows the page for unknown addresses", () => {
    expect(page(routeError(404, "")).match(/<h1[^>]*>(.*?)<\/h1>/)?.[1]).toBe("Page not found");
  });

  it.each([400, 405, 413, 415, 429, 503])("has words of its own for status %i", (status) => {
    const { title, text } = describeError(routeError(status, ""));
    expect(title).not.toBe(describeError(new Error()).title);
    expect(text).toMatch(/\.$/);
  });

  it("passes on the sentence a route refused with", () => {
    expect(page(routeError(429, "Please wait a minute."))).toContain("Please wait a minute.");
  });

  it("keeps Remix's words for developers to itself", () => {
    const refusal = 'Error: You made a POST request to "/x" but did not provide an `action`';
    expect(page(routeError(405, refusal))).not.toContain("provide an");
  });

  it("does not print a body that is no sentence", () => {
    expect(describeError(routeError(400, { secret: 1 })).text).not.toContain("secret");
    expect(describeError(routeError(400, "x".repeat(500))).text.length).toBeLessThan(200);
  });

  it("leads back to the book, without JavaScript", () => {
    expect(page(routeError(503, ""))).toContain('href="/"');
  });
});
