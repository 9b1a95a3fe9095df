import { describe, expect, it } from "vitest";
import { action as logIn } from "~/routes/auth_.login/route";
import { action as signUp } from "~/routes/auth_.signup/route";
import { cookiesOf, post } from "../support/routes";
import { testSite } from "../support/site";

// a tenth of the limits: one log-in to an account from one network, or from one known browser
testSite({ variables: { RATE_LIMIT_FACTOR: "0.1" } });

const PASSWORD = "open sesame";

let count = 0;

/** Creates an account; `browser` is the cookie of its owner's browser after the session has ended. */
async function newOwner() {
  const email = `owner-${++count}-${Date.now()}@example.test`;
  const cookies = cookiesOf(await post(signUp, { json: { email, password: PASSWORD } }));
  const browser = cookies.split("; ").find((cookie) => cookie.startsWith("known-browser="));
  if (!browser) throw new Error("The browser is not remembered.");
  return { email, browser };
}

/** The status of a log-in: 429 is the rate limit's. */
async function statusOf(email: string, cookie?: string, password = PASSWORD): Promise<number> {
  return (await post(logIn, { json: { email, password }, cookie })).status;
}

describe("strangers who guess a password up to the account's limit", () => {
  it("do not lock the owner out of the browser they use", async () => {
    const { email, browser } = await newOwner();
    expect(await statusOf(email, undefined, "a guess")).toBe(401);
    expect(await statusOf(email, undefined, "a guess")).toBe(429);
    expect(await statusOf(email)).toBe(429);
    expect(await statusOf(email, browser)).toBe(200);
  });

  it("gain nothing from a browser that is known to another account", async () => {
    const { email } = await newOwner();
    const { browser } = await newOwner();
    expect(await statusOf(email, browser, "a guess")).toBe(401);
    expect(await statusOf(email, browser, "a guess")).toBe(429);
    expect(await statusOf(email)).toBe(429);
  });
});

it("a known browser has its own limit, which it keeps when it signs in", async () => {
  const { email, browser } = await newOwner();
  const answer = await post(logIn, { json: { email, password: PASSWORD }, cookie: browser });
  expect(answer.status).toBe(200);
  expect(await statusOf(email, cookiesOf(answer))).toBe(429);
  expect(await statusOf(email, browser)).toBe(429);
  expect(await statusOf(email)).toBe(200);
});
