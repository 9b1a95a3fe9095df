import { readFile } from "node:fs/promises";
import { eq, like } from "drizzle-orm";
import type { Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { addressHash } from "~db/address-hash";
import { passkeys, sessions, subscribers, suppressedAddresses, users } from "~db/schema";
import { axeViolations } from "../../support/axe-violations";
import { type Account, siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";
import { expectToast } from "../../support/pages";

const site = siteForThisFile({ variables: { AUTHOR_EMAIL: "author-1@example.test" } });

let author: Account;
beforeAll(async () => {
  author = await site.newAccount("author");
  await site.database.db
    .update(users)
    .set({ emailConfirmedAt: new Date() })
    .where(eq(users.email, author.email));
});

/** Opens a page of the desk as its author, who has just logged in. */
async function openDesk(path: string, javaScriptEnabled = true): Promise<Page> {
  const page = await site.visit({ javaScriptEnabled, viewport: { width: 360, height: 800 } });
  await site.signIn(page.context(), author.email);
  await page.goto(path);
  if (javaScriptEnabled) await hydrated(page);
  return page;
}

async function download(page: Page, link: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: link, exact: true }).click(),
  ]);
  return readFile(await file.path(), "utf8");
}

const fileOf = (text: string, name = "list.csv") => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(text),
});

async function upload(page: Page, file: ReturnType<typeof fileOf>) {
  await page.getByLabel("File").setInputFiles(file);
  await page.getByRole("button", { name: "Look at the list" }).click();
}

async function find(page: Page, part: string, email: string) {
  await page.getByLabel("Address, or a part of it").fill(part);
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByRole("link", { name: email }).click();
  await page.getByRole("heading", { name: email }).waitFor();
}

describe.each([
  ["with scripts", true],
  ["without scripts", false],
])("an author at the desk, %s", (_, javaScriptEnabled) => {
  it("imports a list, finds a person, gives a reviewer a month, exports and deletes", async () => {
    const { db } = site.database;
    const reviewer = await site.newAccount("reviewer");
    const name = `list-${javaScriptEnabled}`;
    const rows = Array.from({ length: 1_000 }, (__, n) =>
      n % 25 === 3 ? `nobody ${n},Nobody` : `${name}-${n}@example.test,Reader ${n}`,
    );

    const page = await openDesk("/desk/people/import", javaScriptEnabled);
    await upload(page, fileOf("Name,City\nA,B"));
    await page.getByRole("alert").getByText("has no column of email addresses").waitFor();
    await upload(page, fileOf(["Email,Name", ...rows].join("\n")));
    await page.getByText("not an email address").waitFor();
    const refused = await download(page, "Download these rows");
    expect(refused.trim().split("\n")).toHaveLength(41);
    await page.getByLabel("How did they agree to get the newsletter?").fill("The old list");
    await page.getByRole("button", { name: "Import 960 addresses" }).click();
    await expectToast(page, "The list is imported");
    expect(await db.$count(subscribers, like(subscribers.email, `${name}-%`))).toBe(960);

    await page.getByRole("link", { name: "All people" }).click();
    await find(page, `${name}-77`, `${name}-77@example.test`);
    await page.getByText("The old list").waitFor();
    expect(page.url()).not.toContain("example");

    await page.getByRole("link", { name: "All people" }).click();
    await find(page, reviewer.email, reviewer.email);
    await page.getByLabel("Complimentary until").fill("2999-01-31");
    await page.getByRole("button", { name: "Make complimentary" }).click();
    await expectToast(page, "Made a membership complimentary until 2999-01-31");
    await page.getByText("premium until 2999-01-31, complimentary").waitFor();
    await page.getByRole("button", { name: "Make a link for a new password" }).click();
    await page.getByText("/auth/reset-password?token=").waitFor();
    await page.getByRole("button", { name: "Make a link for a new password" }).click();
    await page.getByRole("alert").getByText("No link was made").waitFor();
    expect(JSON.parse(await download(page, "Download all data about the account"))).toMatchObject({
      account: { email: reviewer.email },
    });

    await page.getByRole("link", { name: "All people" }).click();
    expect(await download(page, "Subscribers as CSV")).toContain(
      `"${name}-0@example.test","subscribed"`,
    );
    expect(await download(page, "Accounts as CSV")).toContain(`"${reviewer.email}"`);

    await find(page, reviewer.email, reviewer.email);
    const typed = page.getByLabel("Type the address");
    await typed.fill("another@example.test");
    await page.getByRole("button", { name: "Delete the account" }).click();
    await page.getByRole("alert").getByText("That is another address").waitFor();
    expect(await typed.inputValue()).toBe("another@example.test");
    await typed.fill(reviewer.email);
    await page.getByRole("button", { name: "Delete the account" }).click();
    await expectToast(page, "Deleted an account");
    expect(await db.$count(users, eq(users.email, reviewer.email))).toBe(0);
  });

  it("is asked for the password again, and led back, before downloads and what cannot be undone", async () => {
    const reader = await site.newAccount("reader");
    const page = await openDesk("/desk/people", javaScriptEnabled);
    const verifiedAt = new Date(Date.now() - 11 * 60_000);
    await site.database.db.update(sessions).set({ verifiedAt });
    await page.getByRole("link", { name: "Subscribers as CSV" }).click();
    await page.getByRole("heading", { name: "Is this you?" }).waitFor();
    expect(new URL(page.url()).searchParams.get("next")).toBe("/desk/people");
    await page.goto("/desk/people");
    await find(page, reader.email, reader.email);
    const person = new URL(page.url()).pathname;
    await page.getByRole("link", { name: "Enter your password to delete" }).click();
    await page.getByRole("heading", { name: "Is this you?" }).waitFor();
    await page.goto(person);
    await page.getByRole("button", { name: "Make a link for a new password" }).click();
    await page.getByRole("heading", { name: "Is this you?" }).waitFor();
    expect(new URL(page.url()).searchParams.get("next")).toBe(person);
  });
});

describe("what others have written", () => {
  const HOSTILE = `<script>hacked=1</script><img src=x onerror="hacked=1">"><svg onload="hacked=1">`;
  const ADDRESS = `<img src=x onerror=hacked=1>@example.test`;

  it("is text on every page of people", async () => {
    const { db } = site.database;
    const [user] = await db.insert(users).values({ email: ADDRESS, passwordHash: "" }).returning();
    const userId = user?.id ?? "";
    await db
      .insert(subscribers)
      .values({ email: ADDRESS, confirmedAt: new Date(), consentSource: HOSTILE });
    await db.insert(passkeys).values({
      ...{ id: "hostile", userId, name: HOSTILE, publicKey: Buffer.from(""), counter: 0 },
      transports: [],
    });
    await db
      .insert(suppressedAddresses)
      .values({ addressHash: addressHash(ADDRESS), reason: "hard-bounce", reply: HOSTILE });

    const page = await openDesk("/desk/people");
    const isHarmless = async (...shown: string[]) => {
      await hydrated(page);
      for (const text of shown)
        await page.getByText(text).locator("visible=true").first().waitFor();
      const found = await page.evaluate(() => [
        "hacked" in window,
        document.querySelectorAll("img[src=x], svg[onload], main script").length,
        document.documentElement.scrollWidth > innerWidth,
      ]);
      expect(found, page.url()).toEqual([false, 0, false]);
      expect(await axeViolations(page), page.url()).toEqual([]);
    };
    await isHarmless(ADDRESS);
    await page.goto(`/desk/people?match=${encodeURIComponent(HOSTILE)}`);
    await isHarmless("Nobody is found");
    await page.goto(`/desk/people/${userId}`);
    await isHarmless(ADDRESS, HOSTILE, `refused for good, 2`);

    await page.goto("/desk/people/import");
    await upload(page, fileOf(`Name,City\n`.replace("City", HOSTILE), `${HOSTILE}.csv`));
    await page.getByRole("alert").waitFor();
    await isHarmless("<img src=x");
    const cell = `"${HOSTILE.replaceAll('"', '""')}"`;
    await upload(
      page,
      fileOf(`email,${cell}\na@example.test,${cell}\n${cell},x\n`, `${HOSTILE}.csv`),
    );
    await page.getByRole("table", { name: "First rows" }).waitFor();
    await isHarmless(HOSTILE);
    await page.getByLabel("How did they agree").fill(HOSTILE);
    await page.getByRole("button", { name: "Import 1 address" }).click();
    await expectToast(page, "The list is imported");
    await isHarmless();
    await page.goto("/desk/people?match=a@example.test");
    await page.getByRole("link", { name: "a@example.test" }).click();
    await page.getByRole("heading", { name: "a@example.test" }).waitFor();
    await isHarmless(HOSTILE);
  });
});
