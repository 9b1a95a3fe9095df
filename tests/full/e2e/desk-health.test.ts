import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Page } from "playwright";
import { afterAll, beforeAll, beforeEach, describe, it } from "vitest";
import { addressHash } from "~db/address-hash";
import { campaigns, sessions, users } from "~db/schema";
import { axeViolations } from "../../support/axe-violations";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { runProgram, temporaryDirectory } from "../../support/program";
import { startSmtpServer } from "../../support/smtp";

let refusal: { code: number; text: string } | null = null;
const smtp = await startSmtpServer({ refuse: () => refusal });
const folder = temporaryDirectory();
const BACKUPS = join(folder.path, "<i>kept");
const SECRET = "marker-0123456789-abcdefghij-of-a-secret";

const site = siteForThisFile({
  variables: {
    AUTHOR_EMAIL: "author-1@example.test",
    SMTP_URL: smtp.url,
    MAIL_FROM: "letters@book.test",
    BACKUP_DIR: BACKUPS,
    METRICS_TOKEN: SECRET,
    MAIL_REPORT_SECRET: SECRET,
    BACKUP_S3_URL: "http://127.0.0.1:9/bucket",
    BACKUP_S3_ACCESS_KEY_ID: SECRET,
    BACKUP_S3_SECRET_ACCESS_KEY: SECRET,
  },
});
let author = "";

beforeAll(async () => {
  mkdirSync(BACKUPS);
  author = (await site.newAccount("author")).email;
  const { db } = site.database;
  await db.update(users).set({ emailConfirmedAt: new Date() });
  await db.execute(sql`
    insert into memberships (person, started_at, ended_at, monthly_amount, currency)
    select gen_random_uuid(), now() - interval '40 months', null, 999, 'usd' from generate_series(1, 3)`);
});
afterAll(async () => {
  await smtp.close();
  folder.remove();
});

/** Pauses a letter as the program does, and opens its alert; one of the alert's facts is a mail server's reply. */
beforeEach(async () => {
  refusal = null;
  const { db } = site.database;
  await db.execute(sql`truncate mails, campaigns, operator_matters`);
  const [campaign] = await db
    .insert(campaigns)
    .values({
      ...{ slug: "fog", audience: "subscribers", subject: "Fog <script>alert(1)</script>" },
      ...{ previewText: "", markdown: "Fog", startAt: new Date() },
      ...{ state: "paused", pauseReason: "<img src=x onerror=alert(1)>" },
    })
    .returning();
  await db.execute(sql`
    insert into mails (kind, priority, campaign_id, subscriber_id, address_hash, expires_at)
    values ('newsletter', 2, ${campaign?.id}, gen_random_uuid(), ${addressHash("a@example.test")}, now() + interval '1 day')`);
  await db.execute(sql`
    insert into operator_matters (kind, key, facts, opened_at, seen_at, report_due_at, reported_at)
    values ('issue-paused', ${`issue-paused:${campaign?.id}`},
      ${JSON.stringify({ slug: "fog", reason: campaign?.pauseReason })}::jsonb, now(), now(), now(), now())`);
});

async function visitDesk(javaScriptEnabled: boolean, path: string, verifiedMinutesAgo = 0) {
  const page = await site.visit({ javaScriptEnabled, viewport: { width: 360, height: 740 } });
  await site.signIn(page.context(), author);
  const verifiedAt = new Date(Date.now() - verifiedMinutesAgo * 60_000);
  await site.database.db.update(sessions).set({ verifiedAt });
  await page.goto(path);
  return page;
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name }).first().click();

describe.each([true, false])("at the desk, with scripts: %s, an author", (hasScripts) => {
  it("reads what needs a hand, resumes the letter, and sees what comes", async () => {
    const page = await visitDesk(hasScripts, "/desk");
    await expect(page.getByText("29.97 USD")).toBeVisible();
    const alert = page.getByRole("article", { name: "An issue of the newsletter is paused" });
    await expect(alert).toContainText("'fog': <img src=x onerror=alert(1)>.");
    await press(page, "Resume the letter");
    await expect(page).toHaveURL(`${site.origin}/desk`);
    await expect(page.locator(".toast")).toContainText("Fog <script>alert(1)</script>");
    await expect(alert).toHaveCount(0);
    await expect(page.locator("img[src=x]")).toHaveCount(0);
    const [{ state } = { state: "" }] = await site.database.db.select().from(campaigns);
    expect(state).toBe("running");
  });

  it("reads the figures of months of choice", async () => {
    const page = await visitDesk(hasScripts, "/desk/figures");
    await page.getByLabel("From", { exact: true }).fill("2025-03");
    await page.getByLabel("To", { exact: true }).fill("2025-05");
    await press(page, "Show");
    await expect(page).toHaveURL(/from=2025-03&to=2025-05$/);
    const members = page.locator("section:has(> #members)");
    await members.getByText("Figures").click();
    await expect(members.getByRole("row")).toHaveText([
      "MonthMembers",
      "Mar 20253",
      "Apr 20253",
      "May 20253",
    ]);
    await page.goto("/desk/figures?from=2025-05&to=2025-03");
    await expect(page.getByRole("alert")).toContainText("the earlier one first");
  });

  it("runs the doctor, and reads the mail server's answer to a test mail", async () => {
    const page = await visitDesk(hasScripts, "/desk/health");
    await page.getByRole("link", { name: "Run the doctor" }).click();
    await expect(page.getByRole("table", { name: "Findings" })).toContainText("database: schema");
    const before = smtp.delivered.length;
    await press(page, "Send me a test mail");
    await expect(page.getByText(/accepted the mail: 250/).first()).toBeVisible();
    expect(smtp.delivered[before]?.recipients).toEqual([author]);
    refusal = { code: 550, text: "<b>blocked</b> for now" };
    await press(page, "Send me a test mail");
    await expect(page.getByText("<b>blocked</b> for now").first()).toBeVisible();
  });

  it("makes, verifies and downloads a backup, from which the site can be restored", async () => {
    const page = await visitDesk(hasScripts, "/desk/health");
    const links = page.getByRole("link", { name: /^golden-path-.*gz$/ });
    const before = await links.count();
    await press(page, "Make a backup");
    // the bucket can't be reached, which is said; the folder has the backup all the same
    await expect(page.getByText("BACKUP_S3_URL").first()).toBeVisible();
    await expect(links).toHaveCount(before + 1);
    await expect(page.getByRole("table", { name: "Kept backups" })).toContainText("<i>kept");
    await press(page, "Verify");
    await expect(page.getByText(/is complete\. Made/).first()).toBeVisible();
    const download = await page.request.get((await links.first().getAttribute("href")) ?? "");
    const file = join(folder.path, `taken-${hasScripts}.tar.gz`);
    writeFileSync(file, await download.body());
    const { code, stdout } = await runProgram({ command: ["backup", "verify", file] });
    expect([code, stdout]).toEqual([0, `${file} is complete.\n`]);
  });

  it("is asked for the password before a backup is made or leaves", async () => {
    const page = await visitDesk(hasScripts, "/desk/health", 11);
    await press(page, "Make a backup");
    await expect(page).toHaveURL(/\/account\/verify\?next=%2Fdesk%2Fhealth$/);
    await page.goto("/desk/health/backups/0/golden-path-20260101T000000Z.tar.gz");
    await expect(page).toHaveURL(/\/account\/verify\?next=%2Fdesk%2Fhealth$/);
  });
});

describe("the desk's pages about the site", () => {
  it("hold no secret", async () => {
    const page = await visitDesk(false, "/desk/health?doctor");
    const html = await page.content();
    expect(html).toContain("METRICS_TOKEN");
    expect(html).not.toContain(SECRET);
    expect(html).not.toContain(String(site.variables.SESSION_SECRET));
    expect(html).not.toContain(String(site.variables.DATABASE_URL));
  });

  it.each(["/desk", "/desk/figures", "/desk/health?doctor"])(
    "fit a phone at %s, for everyone",
    async (path) => {
      const page = await visitDesk(true, path);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(360);
      expect(await axeViolations(page)).toEqual([]);
    },
  );
});
