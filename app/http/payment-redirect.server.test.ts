import { describe, expect, it } from "vitest";
import { redirectToPayment } from "./payment-redirect.server";

const allowed = ["https://checkout.stripe.com", "https://pay.book.example"];

describe("redirecting to a payment page", () => {
  it.each(["https://checkout.stripe.com/c/1?a=b&c", "https://pay.book.example/c/1"])(
    "redirects to %s, which the page's policy allows",
    (url) => {
      const answer = redirectToPayment(url, allowed);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe(url);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    },
  );

  it("uses an intermediate page, without a script, for other origins", async () => {
    const answer = redirectToPayment(`https://other.book.example/c/1?a=1&b="><script>`, allowed);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const address = "https://other.book.example/c/1?a=1&amp;b=&quot;>&lt;script>";
    const page = await answer.text();
    expect(page).toContain(`content="0;url=${address}"`);
    expect(page).toContain(`<a href="${address}">`);
    expect(page).not.toContain("<script");
  });
});
