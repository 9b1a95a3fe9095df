import { eq } from "drizzle-orm";
import type { BrowserContext, BrowserContextOptions } from "playwright";
import { describe, it } from "vitest";
import { sessions, users } from "~db/schema";
import { expect } from "../support/browser-expect";
import { siteForThisFile } from "../support/e2e-site";

const AUTHOR = "author-1@example.test";
const site = siteForThisFile({ variables: { AUTHOR_EMAIL: AUTHOR } });

/** Signs a browser in as the author, who last entered the password so many hours ago. */
async function signInAsAuthor(context: BrowserContext, hoursAgo = 0): Promise<void> {
  const { db } = site.database;
  const [known] = await db.select().from(users).where(eq(users.email, AUTHOR));
  // the site's first account
  if (!known) await site.newAccount("author");
  const [author] = await db
    .update(users)
    .set({ emailConfirmedAt: new Date() })
    .where(eq(users.email, AUTHOR))
    .returning();
  await site.signIn(context, AUTHOR);
  const verifiedAt = new Date(Date.now() - hoursAgo * 3_600_000);
  await db
    .update(sessions)
    .set({ verifiedAt })
    .where(eq(sessions.userId, author?.id ?? ""));
}

describe.each<[string, BrowserContextOptions]>([
  ["with scripts", {}],
  ["without scripts", { javaScriptEnabled: false }],
])("the desk, %s", (_how, options) => {
  const hasScripts = options.javaScriptEnabled !== false;

  it("is opened by its author from the account, and asks for the password after twelve hours", async () => {
    const page = await site.visit(options);
    await signInAsAuthor(page.context(), 12.1);
    await page.goto("/account");
    await page.getByRole("link", { name: "Open the author’s desk" }).click();
    await page.getByRole("heading", { name: "Is this you?" }).waitFor();
    await page.getByLabel("Password").fill("a long walk");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/desk");
    await expect(page.getByRole("heading", { name: "Today", level: 1 })).toBeVisible();
    await expect(page.getByRole("link", { name: "Add a passkey" })).toBeVisible();
    await page.getByRole("navigation", { name: "Desk" }).getByText("Log").click();
    await expect(page.getByRole("heading", { name: "Log", level: 1 })).toBeVisible();
    await expect(page.getByText("Nothing has been changed at the desk yet.")).toBeVisible();
    await page.getByRole("link", { name: "Site’s front page" }).click();
    await page.waitForURL(`${site.origin}/`);
  });

  it("is an unknown address to a reader, whose page works as any other", async () => {
    const page = await site.visit(options);
    await site.signUp(page.context());
    await page.goto("/desk/log");
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expect(page).toHaveTitle(/^Page not found/);
    if (hasScripts) {
      await page.locator("html[data-hydrated]").waitFor({ state: "attached" });
      await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    }
    await page.getByRole("link", { name: "Back to the home page" }).click();
    await page.waitForURL(`${site.origin}/`);
    await page.goto("/account");
    await expect(page.getByRole("link", { name: /desk/ })).toHaveCount(0);
  });
});

it("offers a passkey before the password", async () => {
  const page = await site.visit();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await signInAsAuthor(page.context());
  await site.open("/account", page);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await expect(page.locator("#passkeys").getByRole("listitem")).toHaveCount(1);
  await site.database.db.update(sessions).set({ verifiedAt: null });
  await page.goto("/desk/log");
  await page.getByRole("heading", { name: "Is this you?" }).waitFor();
  const [passkey, password] = await Promise.all(
    [page.getByRole("button", { name: "Use a passkey" }), page.getByLabel("Password")].map((part) =>
      part.boundingBox(),
    ),
  );
  expect(passkey?.y).toBeLessThan(password?.y ?? 0);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL("**/desk/log");
  await expect(page.getByRole("heading", { name: "Log", level: 1 })).toBeVisible();
  await expect(page.getByRole("link", { name: "Add a passkey" })).toHaveCount(0);
});
