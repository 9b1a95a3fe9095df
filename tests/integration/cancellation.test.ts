import { asc, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { linkToPortal } from "~/features/billing/portal-link.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { action, loader } from "~/routes/cancellation/route";
import { getDatabase } from "~db/client";
import { findProfile } from "~db/queries/profiles";
import { mails, type RenderedMail } from "~db/schema";
import { control, newMember } from "../support/payments";
import { get, post } from "../support/routes";
import { testSite } from "../support/site";

const SETTINGS = {
  CANCELLATION_PAGE: "true",
  CANCELLATION_LINK_LABEL: "Verträge hier kündigen",
  CANCELLATION_BUTTON_LABEL: "Jetzt kündigen",
  SMTP_URL: "smtp://mail.test",
  OPERATOR_EMAIL: "author@book.test",
};
const site = testSite({ payments: {}, variables: SETTINGS });
afterEach(() => getDatabase().db.execute(sql`truncate mails, rate_limits`));

const FIELDS = {
  kind: "ordinary",
  reason: "",
  name: "Ada Example",
  contract: "Premium membership",
  endsOn: "",
  email: "Ada@Example.test",
};

type Answer = { received: { receivedAt: string } | null; problem?: string; typed?: object };

/** Posts the page's form. */
async function cancel(fields: Partial<typeof FIELDS> = {}): Promise<{ status: number } & Answer> {
  const answer = await post(action, { form: { ...FIELDS, ...fields } });
  return { ...((await answer.json()) as Answer), status: answer.status };
}

async function sent(): Promise<{ to: string | null; text: string }[]> {
  const rows = await getDatabase()
    .db.select({ to: mails.recipient, message: mails.message })
    .from(mails)
    .orderBy(asc(mails.recipient));
  return rows.map(({ to, message }) => ({ to, text: (message as RenderedMail).text }));
}

describe("the page to cancel without logging in", () => {
  it("has the labels that are set, and is there only if it is set", async () => {
    const labels = { link: "Verträge hier kündigen", button: "Jetzt kündigen" };
    expect(await (await get(loader)).json()).toEqual({ labels });
    setEnvironment({ SESSION_SECRET: "a secret that signs the cookies of tests only" });
    expect((await get(loader)).status).toBe(404);
    expect((await post(action, { form: FIELDS })).status).toBe(404);
  });

  it("needs a mail server", () => {
    expect(() => setEnvironment({ CANCELLATION_PAGE: "true" })).toThrow(/^SMTP_URL: found nothing/);
  });

  it("confirms by mail with date and time, and asks the operator to match", async () => {
    const { received } = await cancel({ endsOn: "2027-01-31" });
    expect(received?.receivedAt).toMatch(/^\w+ \d+, 20\d\d at \d+:\d\d:\d\d [AP]M UTC$/);
    const [person, operator] = await sent();
    expect(person?.to).toBe("ada@example.test");
    expect(operator?.to).toBe("author@book.test");
    for (const { text } of [person, operator].filter((mail) => mail !== undefined)) {
      expect(text).toContain(received?.receivedAt);
      expect(text).toMatch(/Kind of cancellation +ordinary/);
      expect(text).toMatch(/Name +Ada Example/);
      expect(text).toMatch(/Contract +Premium membership/);
      expect(text).toMatch(/Last day +2027-01-31/);
    }
    expect(operator?.text).toContain("golden-path members show ada@example.test");
  });

  it("answers the same whether the address is known or not, and ends nothing", async () => {
    const member = await newMember(site.sandboxOrigin);
    const known = await cancel({ email: member.email });
    expect(known.received).toMatchObject({
      facts: expect.arrayContaining([{ name: "Last day", value: "as early as possible" }]),
    });
    const unknown = await cancel({ email: "nobody@example.test" });
    const without = (answer: Answer, email: string) =>
      JSON.stringify(answer)
        .replaceAll(email, "…")
        .replace(/"receivedAt":"[^"]*"/, "");
    expect(without(known, member.email)).toBe(without(unknown, "nobody@example.test"));
    await syncCustomer(member.customer);
    expect((await findProfile(member.id))?.stripeCancelAtPeriodEnd).toBe(false);
  });

  it.each([
    ["kind", "whatever", "Please choose the kind of cancellation."],
    ["name", " ", "Please enter your name."],
    ["contract", "", "Please enter the contract."],
    ["endsOn", "soon", "Please enter a date, or none."],
    ["email", "nowhere", "Unable to validate email address: invalid format"],
    ["reason", "x".repeat(501), "Please enter at most 500 characters."],
  ])("keeps what was typed if %s is %.9s", async (field, value, problem) => {
    const answer = await cancel({ [field]: value });
    expect(answer).toMatchObject({ status: 422, received: null, problem });
    expect(answer.typed).toMatchObject({ ...FIELDS, [field]: value });
    expect(await sent()).toEqual([]);
  });

  it("mails an address at most six times an hour", async () => {
    setEnvironment({ ...SETTINGS, MAIL_FROM: "letters@book.test", RATE_LIMIT_FACTOR: "1" });
    for (let time = 0; time < 6; time++) expect((await cancel()).status).toBe(200);
    expect(await cancel()).toMatchObject({ status: 429, typed: FIELDS });
    expect(await sent()).toHaveLength(12);
  });
});

describe("a member", () => {
  it("cancels in two clicks: the account page's button opens the question at Stripe", async () => {
    const member = await newMember(site.sandboxOrigin);
    const link = await linkToPortal(member.id, "cancel");
    if (link.kind !== "page") throw new Error(link.message);
    const page = await fetch(link.url);
    const html = await page.text();
    const [, form] = /<form method="post" action="([^"]*\/cancel\/[^"]*)"/.exec(html) ?? [];
    const answer = await fetch(new URL(form ?? "", page.url), {
      method: "POST",
      redirect: "manual",
    });
    expect(answer.headers.get("Location")).toMatch(/\/billing$/);
    await syncCustomer(member.customer);
    expect((await findProfile(member.id))?.stripeCancelAtPeriodEnd).toBe(true);
    // the question is not asked again
    expect((await linkToPortal(member.id, "cancel")).kind).toBe("page");
    await control(site.sandboxOrigin, "webhooks/settle");
  });
});
