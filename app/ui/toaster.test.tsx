import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import * as toasts from "~/toast-messages";
import { Toaster, useToast } from "./toaster";

function Caller() {
  useToast();
  return <p>page</p>;
}
const flashed = (toast: (typeof toasts)["signedOut"]) =>
  renderToStaticMarkup(
    <Toaster flash={{ ...toast, id: "1" }}>
      <Caller />
    </Toaster>,
  );

describe("the toast in the server's HTML", () => {
  it("is announced politely on success, assertively on failure", () => {
    expect(flashed(toasts.signedOut)).toContain('role="status"');
    expect(flashed(toasts.subscribeFailed)).toContain('role="alert"');
  });

  it("has its title, its description and a close link that needs no JavaScript", () => {
    const html = flashed(toasts.subscribed);
    expect(html).toContain("🎉 Success!");
    expect(html).toContain("Thanks for subscribing! You&#x27;re on the list.");
    expect(html).toContain('id="toast-1"');
    expect(html).toMatch(/<a[^>]*href="#toast-1"[^>]*aria-label="Close"/);
  });

  it("is absent when nothing was flashed", () => {
    const html = renderToStaticMarkup(
      <Toaster flash={null}>
        <Caller />
      </Toaster>,
    );
    expect(html).toBe("<p>page</p>");
  });
});
