import { expect } from "vitest";
import type { BrowserWindow } from "./browsers/browser-window";
import { Reader } from "./browsers/reader";

type Story = {
  site: { origin: string; sandboxOrigin: string };
  /** An address that is not used yet. */
  email: string;
};

/**
 * The main user journey, in any browser, with and without JavaScript: first visit, account, newsletter, payment,
 * members' area, canceled membership.
 */
export async function completeMainJourney(
  window: BrowserWindow,
  { site: { origin, sandboxOrigin }, email }: Story,
): Promise<void> {
  const reader = new Reader(window, origin);
  const password = "a long walk";
  const anywhereAt = (origin: string) => new RegExp(`^${origin}/`);

  // reads the landing page
  await reader.visit("/");
  await reader.sees("h1", "The Golden Path");
  for (const id of ["about", "preview", "author", "reviews", "purchase", "newsletter"]) {
    await reader.sees(`#${id}`, /./);
  }

  // may not see the members' area yet
  await reader.visit("/premium");
  await reader.arrivesAt("/");

  // is asked to sign up before upgrading
  await reader.click("Upgrade to Premium", "main");
  await reader.seesToast("Authentication Required", "Please log in or sign up to upgrade.");

  // signs up
  await reader.click("Sign Up", "header");
  await reader.arrivesAt("/auth?tab=signup");
  await reader.fill("Email", email, "main");
  await reader.fill("Password", password, "main");
  await reader.click("Create Account", "main");
  await reader.arrivesAt("/");
  await reader.seesToast("✅ Account Created!", "Welcome! You have been successfully signed in.");

  // joins the newsletter
  await reader.fill("Email address", email, "#newsletter");
  await reader.click("Subscribe", "#newsletter");
  await reader.seesToast("🎉 Success!", "Thanks for subscribing! You're on the list.");
  expect(await reader.valueOf("Email address", "#newsletter")).toBe("");

  // changes their mind at the checkout, and comes back
  await reader.click("Upgrade to Premium", "main");
  await reader.arrivesAt(anywhereAt(sandboxOrigin));
  await reader.click("Cancel");
  await reader.arrivesAt("/checkout/cancelled");
  await reader.sees("h1", "Nothing was charged");
  await reader.click("Back to the premium offer", "main");

  // is declined once, then pays
  await reader.click("Upgrade to Premium", "main");
  await reader.arrivesAt(anywhereAt(sandboxOrigin));
  await reader.fill("Card number", "4000 0000 0000 0002");
  await reader.click("Subscribe");
  await reader.sees("body", /Your card was declined\./);
  await reader.fill("Card number", "4242 4242 4242 4242");
  await reader.click("Subscribe");
  await reader.arrivesAt(/\/checkout\/success\?session_id=/);
  await reader.sees("h1", "You’re a premium member");

  // reads the members' area
  await reader.click("Go to the members’ area", "main");
  await reader.arrivesAt("/premium");
  await reader.sees("h1", new RegExp(email));
  for (const card of ["Full Chapter Access", "Exclusive Content", "Private Community"]) {
    await reader.sees("main h2", card);
  }

  // sees the landing page as a member
  await reader.click("Start Reading", "main");
  await reader.arrivesAt("/");
  await reader.seesDisabled("You're a Premium Member!");

  // cancels, and keeps access for the paid period
  await reader.click("Manage or cancel membership", "#purchase");
  await reader.arrivesAt(anywhereAt(sandboxOrigin));
  await reader.click("Cancel subscription");
  await reader.sees("h1", /Cancel/);
  await reader.click("Cancel subscription");
  await reader.click("Return to the site");
  await reader.arrivesAt("/premium");
  await reader.sees("main", /Your membership ends on /);

  // logs out, and cannot open the members' area
  await reader.click("Account menu", "header");
  await reader.click("Log out");
  await reader.arrivesAt("/");
  await reader.seesToast("👋 You've been signed out.");
  await reader.visit("/premium");
  await reader.arrivesAt("/");
}
