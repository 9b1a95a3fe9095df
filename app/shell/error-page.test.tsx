import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { describeError, ErrorPage } from "./error-page";

/** A thrown Response, or an error of Remix's own, as an error boundary receives it. */
const routeError = (status: number, data: unknown) => ({
  status,
  statusText: "",
  internal: false,
  data,
});
const page = (error: unknown) => renderToStaticMarkup(<ErrorPage error={error} site={null} />);

describe("the error page", () => {
  it("reveals nothing about an unexpected error", () => {
    const html = page(new Error("connect ECONNREFUSED 10.0.0.1:5432"));
    expect(html).toContain("Something went wrong");
    expect(html).not.toContain("ECONNREFUSED");
    expect(html).not.toMatch(/\.tsx?:\d/);
  });

  it("shows the not-found page for unknown URLs", () => {
    expect(page(routeError(404, "")).match(/<h1[^>]*>(.*?)<\/h1>/)?.[1]).toBe("Page not found");
  });

  it.each([400, 405, 413, 415, 429, 503])("has its own text for status %i", (status) => {
    const { title, text } = describeError(routeError(status, ""));
    expect(title).not.toBe(describeError(new Error()).title);
    expect(text).toMatch(/\.$/);
  });

  it("shows the message of a thrown response", () => {
    expect(page(routeError(429, "Please wait a minute."))).toContain("Please wait a minute.");
  });

  it("hides Remix's messages for developers", () => {
    const remixError = 'Error: You made a POST request to "/x" but did not provide an `action`';
    expect(page(routeError(405, remixError))).not.toContain("provide an");
  });

  it("does not print a body that is not text", () => {
    expect(describeError(routeError(400, { secret: 1 })).text).not.toContain("secret");
    expect(describeError(routeError(400, "x".repeat(500))).text.length).toBeLessThan(200);
  });

  it("leads back to the book, without JavaScript", () => {
    expect(page(routeError(503, ""))).toContain('href="/"');
  });
});
