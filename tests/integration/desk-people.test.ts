import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  findPerson,
  findPersonByEmail,
  listPeople,
  showPerson,
} from "~/features/desk/people.server";
import { changePerson, isSensitiveChange } from "~/features/desk/people-changes.server";
import {
  findRefusedRows,
  importKeptList,
  keepList,
  showList,
} from "~/features/desk/people-import.server";
import { exportMembers } from "~/features/my-account/export-members.server";
import { addSubscriber } from "~/features/newsletter/add-subscriber.server";
import { db } from "~db/client";
import { ensureProfile } from "~db/queries/profiles";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import { findSuppressionReason, suppressAddresses } from "~db/queries/suppressed-addresses";
import { findUserByEmail, insertUser } from "~db/queries/users";
import { deskChanges, subscribers } from "~db/schema";
import { control, newPayer } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
beforeEach(() =>
  db().execute(
    sql`truncate users, subscribers, suppressed_addresses, desk_changes, desk_files cascade`,
  ),
);

async function newAccount(email: string): Promise<string> {
  const user = await insertUser({ email, passwordHash: "x" });
  if (!user) throw new Error("The address is taken.");
  await ensureProfile(user.id);
  return user.id;
}

async function newAuthor(email = "author@example.test") {
  return { userId: await newAccount(email), email, verifiedAt: new Date() };
}

const subscribe = (email: string, confirmedAt: Date | null = new Date()) =>
  db().insert(subscribers).values({ email, confirmedAt });

async function personOf(email: string) {
  const person = await findPersonByEmail(email);
  if (!person) throw new Error(`There is no ${email}.`);
  return person;
}

async function search(asked: Partial<Parameters<typeof listPeople>[0]>) {
  const list = await listPeople({ match: "", group: "all", after: "", ...asked });
  return { ...list, emails: list.people.map(({ email }) => email) };
}

const logged = async () => (await db().select().from(deskChanges)).map(({ what }) => what);

describe("the list of people", () => {
  it("has one row for an address that is an account and a subscriber, and filters", async () => {
    await newAccount("both@example.test");
    await subscribe("both@example.test");
    const member = await newAccount("member@example.test");
    const author = await newAuthor();
    await changePerson(author, await personOf("member@example.test"), {
      intent: "grant",
      until: "2999-01-31",
    });
    await subscribe("unsure@example.test", null);
    await subscribe("bounced@example.test");
    await suppressAddresses(["bounced@example.test"], "hard-bounce");
    await suppressAddresses(["member@example.test"], "unsubscribed");

    const all = await search({});
    expect(all.emails).toEqual(
      ["author", "both", "bounced", "member", "unsure"].map((name) => `${name}@example.test`),
    );
    expect(all.people[3]).toMatchObject({
      key: member,
      premiumUntil: "2999-01-31",
      isComplimentary: true,
      suppression: "its owner unsubscribed",
      subscribedSince: null,
    });
    for (const [group, names] of Object.entries({
      members: ["member"],
      accounts: ["author", "both", "member"],
      subscribers: ["both", "bounced"],
      unconfirmed: ["unsure"],
      suppressed: ["bounced"],
      nonsense: ["author", "both", "bounced", "member", "unsure"],
    })) {
      const { emails } = await search({ group });
      expect(emails, group).toEqual(names.map((name) => `${name}@example.test`));
    }
    expect((await search({ match: " ER@Ex" })).emails).toEqual(["member@example.test"]);
  });

  it("is paged, with nobody left out or twice", async () => {
    await db().execute(
      sql`insert into subscribers (email) select 'w' || n || '@example.test' from generate_series(1, 70) n`,
    );
    await db().execute(
      sql`insert into users (email, password_hash) select 'w' || n || '@example.test', '' from generate_series(40, 130) n`,
    );
    const first = await search({});
    const second = await search({ after: first.people.at(-1)?.key });
    const third = await search({ after: second.people.at(-1)?.key });
    const pages = [first, second, third];
    expect(pages.map(({ emails }) => emails.length)).toEqual([50, 50, 30]);
    expect(new Set(pages.flatMap(({ emails }) => emails)).size).toBe(130);
    expect(pages.map(({ hasNext }) => hasNext)).toEqual([true, true, false]);
    expect(pages.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
    expect((await search({ after: "account-of-nobody" })).emails).toEqual(first.emails);
  });

  it.each(["%", "_", "\\", "'", '"', "'; drop table users; --", "\0", "\ud800"])(
    "takes the search %j as it is",
    async (match) => {
      await newAccount("plain@example.test");
      expect((await search({ match })).emails).toEqual([]);
      expect((await search({ match: match.repeat(10_000) })).emails).toEqual([]);
    },
  );

  it("names people in addresses by ids alone, an account's before a subscriber's", async () => {
    const id = await newAccount("both@example.test");
    await subscribe("both@example.test");
    const subscriber = await findSubscriberByEmail("both@example.test");
    expect((await findPerson(subscriber?.id ?? ""))?.key).toBe(id);
    for (const key of ["", "\0", `${id}x`, id.slice(1), randomUUID()]) {
      expect(await findPerson(key), key).toBeNull();
    }
  });
});

describe("a person's page", () => {
  it("tells what is known of the membership, the consent and the suppression", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    await addSubscriber(payer.email, "the fair");
    await suppressAddresses([payer.email], "hard-bounce");
    const { account, newsletter, atStripe, mayBeLifted } = showPerson(await personOf(payer.email));
    const facts = Object.fromEntries([...(account ?? []), ...newsletter]);
    expect(facts).toMatchObject({
      "Logged in": "1 browser",
      Passkeys: "0",
      "Notes on": "0 texts",
      Consent: expect.stringMatching(/^the fair, 2/),
      Suppressed: expect.stringContaining("mail to it is refused for good"),
    });
    expect(atStripe).toMatch(/^https:\/\/dashboard\.stripe\.com\/test\/customers\/cus_/);
    expect(mayBeLifted).toBe(true);
  });
});

describe("a change to a person", () => {
  async function change(email: string, fields: Record<string, string>, author?: string) {
    const userId = author ?? (await findUserByEmail("by@example.test"))?.id;
    const by = { userId: userId ?? (await newAccount("by@example.test")), email, verifiedAt: null };
    return changePerson(by, await personOf(email), fields);
  }

  it("makes a membership complimentary until the end of a day, and ends that by a past one", async () => {
    await newAccount("walker@example.test");
    for (const until of ["", "tomorrow", "2999-02-30"]) {
      await expect(change("walker@example.test", { intent: "grant", until })).rejects.toThrow(
        "Choose a day",
      );
    }
    await change("walker@example.test", { intent: "grant", until: "2999-02-28" });
    const { member } = await personOf("walker@example.test");
    expect(member?.profile?.stripeCurrentPeriodEnd?.toISOString()).toBe("2999-02-28T23:59:59.000Z");
    await change("walker@example.test", { intent: "grant", until: "2001-01-01" });
    expect((await search({ group: "members" })).emails).toEqual([]);
    expect(await logged()).toEqual([
      "Made a membership complimentary until 2999-02-28",
      "Made a membership complimentary until 2001-01-01",
    ]);
  });

  it("takes an address off the newsletter for its owner, who stays off", async () => {
    await addSubscriber("walker@example.test", "the fair");
    expect(
      await change("walker@example.test", { intent: "suppress", reason: "unsubscribed" }),
    ).toMatchObject({ path: "/desk/people" });
    expect(await findSubscriberByEmail("walker@example.test")).toBeNull();
    expect(await addSubscriber("walker@example.test", "again")).toMatchObject({
      kind: "suppressed",
    });
  });

  it("suppresses an address and lifts that, but for a complaint", async () => {
    await subscribe("walker@example.test");
    await change("walker@example.test", { intent: "suppress", reason: "listed" });
    expect(await findSuppressionReason("walker@example.test")).toBe("listed");
    await change("walker@example.test", { intent: "lift" });
    expect(await findSuppressionReason("walker@example.test")).toBeNull();
    await newAccount("walker@example.test");
    await change("walker@example.test", { intent: "suppress", reason: "complaint" });
    const { subscriber } = await personOf("walker@example.test");
    expect(subscriber).toBeNull();
    await expect(change("walker@example.test", { intent: "lift" })).rejects.toThrow(
      "Only its owner",
    );
    expect(await findSuppressionReason("walker@example.test")).toBe("complaint");
  });

  it("logs nobody out and deletes no account by mistake, least of all one's own", async () => {
    const { email, userId } = await newAuthor();
    await newAccount("walker@example.test");
    for (const intent of ["sign-out", "delete"]) {
      const own = change(email, { intent, typed: email }, userId);
      await expect(own).rejects.toThrow("own account");
    }
    const remove = (typed: string) =>
      change("walker@example.test", { intent: "delete", typed }, userId);
    await expect(remove(email)).rejects.toThrow("another address");
    expect((await search({})).emails).toHaveLength(2);
    expect(await remove("Walker@Example.test ")).toMatchObject({ path: "/desk/people" });
    expect((await search({})).emails).toEqual([email]);
  });

  it("makes a link for a new password, not twice within a minute", async () => {
    await newAccount("walker@example.test");
    const made = await change("walker@example.test", { intent: "reset-link" });
    expect(made.url).toContain("/auth/reset-password");
    await expect(change("walker@example.test", { intent: "reset-link" })).rejects.toThrow(
      "No link",
    );
  });

  it("deletes an account that Stripe refuses to end only if the author insists, and says what is left", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    await control(site.sandboxOrigin, "faults", {
      method: "DELETE",
      path: "/v1/customers/:id",
      kind: "error",
      status: 400,
      times: 0,
    });
    const fields = { intent: "delete", typed: payer.email };
    await expect(change(payer.email, fields)).rejects.toThrow("tick the box");
    await change(payer.email, { ...fields, anyway: "on" });
    expect(await logged()).toEqual([
      expect.stringContaining(`Stripe did not delete the customer ${payer.customer}`),
    ]);
  });

  it("is recorded about the account, without an address", async () => {
    const id = await newAccount("walker@example.test");
    await change("walker@example.test", { intent: "suppress", reason: "listed" });
    const [row] = await db().select().from(deskChanges);
    expect(row).toMatchObject({ aboutUserId: id });
    expect(JSON.stringify(row)).not.toContain("@");
  });

  it("asks for the password before what cannot be undone or opens the account", () => {
    const sensitive: Record<string, string>[] = [
      { intent: "reset-link" },
      { intent: "delete" },
      { intent: "suppress", reason: "unsubscribed" },
      { intent: "suppress", reason: "complaint" },
    ];
    for (const fields of sensitive) {
      expect(isSensitiveChange(fields), JSON.stringify(fields)).toBe(true);
    }
    expect(isSensitiveChange({ intent: "suppress", reason: "listed" })).toBe(false);
  });
});

describe("an uploaded list", () => {
  const LIST = [
    "Email,Name,Status,Confirmed at",
    "new@example.test,A,subscribed,2024-05-01",
    "new@example.test,A,subscribed,2024-05-01",
    "known@example.test,B,subscribed,",
    "unsure@example.test,C,subscribed,",
    "left@example.test,D,unsubscribed,",
    "complained@example.test,E,complained,",
    "gone@example.test,F,subscribed,",
    "=nobody,G,subscribed,",
    ",H,subscribed,",
  ].join("\n");

  async function upload(content = LIST, name = "C:\\lists\\my list.csv") {
    const author = await newAuthor();
    return { author, id: await keepList(author, { name, bytes: Buffer.from(content) }) };
  }

  beforeEach(async () => {
    await subscribe("known@example.test");
    await subscribe("unsure@example.test", null);
    await suppressAddresses(["gone@example.test"], "unsubscribed");
  });

  it("is shown with its columns, what an import will do and which rows are refused, and then imported so", async () => {
    const { author, id } = await upload();
    const shown = await showList(author, id);
    expect(shown).toMatchObject({
      name: "my list.csv",
      toAdd: 2,
      columns: [
        "1. Email (address)",
        "2. Name",
        "3. Status (who gets mail)",
        "4. Confirmed at (date of consent)",
      ],
      counts: [
        [1, "added"],
        [1, "already on the list, and now confirmed"],
        [1, "already on the list"],
        [1, "repeated in the file"],
        [1, "unsubscribed according to the file, and not added"],
        [1, "complained according to the file, and not added"],
        [1, "suppressed, and not added"],
        [2, "refused"],
      ],
      reasons: [
        ["suppressed: its owner unsubscribed", 1],
        ["not an email address", 1],
        ["no email address", 1],
      ],
    });
    expect(shown?.rows).toHaveLength(5);
    const refused = await findRefusedRows(author, id);
    expect(refused).toContain(`"9","'=nobody","not an email address"`);
    expect(await findSubscriberByEmail("new@example.test")).toBeNull();

    await expect(importKeptList(author, id, " ")).rejects.toThrow("Say in one line");
    expect(await importKeptList(author, id, "moved from X")).toContain("1 added; ");
    expect(await findSubscriberByEmail("new@example.test")).toMatchObject({
      consentSource: "moved from X",
      confirmedAt: new Date("2024-05-01"),
    });
    expect(await findSuppressionReason("complained@example.test")).toBe("complaint");
    expect(await findRefusedRows(author, id)).toContain("not an email address");
  });

  it("adds everybody once, however often and at once the form is sent", async () => {
    const { author, id } = await upload();
    const send = () => importKeptList(author, id, "moved");
    await Promise.all([send(), send()]);
    expect(await send()).toMatch(/^0 added; /);
    expect(await db().$count(subscribers)).toBe(3);
    expect((await logged()).filter((what) => what.startsWith("Imported a list: "))).toHaveLength(3);
  });

  it("is its author's alone, and not any file of the desk", async () => {
    const { id } = await upload();
    const other = await newAuthor("other@example.test");
    expect(await showList(other, id)).toBeNull();
    expect(await findRefusedRows(other, id)).toBeNull();
    await expect(importKeptList(other, id, "moved")).rejects.toThrow();
    expect(await findSubscriberByEmail("new@example.test")).toBeNull();
    for (const none of ["", "\0", "import", other.userId]) {
      expect(await showList(other, none), none).toBeNull();
    }
  });

  it.each([
    ["", "is empty"],
    ["Name,City\nA,B", "has no column of email addresses"],
    ["PK\x03\x04", "is a workbook"],
    ["Email,Status\na@example.test,subscribed\nb@example.test,?", "my list.csv:3: 'Status' is '?'"],
  ])("is not imported, and says why, where it is not understood: %j", async (content, why) => {
    await expect(upload(content)).rejects.toThrow(why);
    expect(await db().$count(subscribers)).toBe(2);
  });

  it("may have no header", async () => {
    const { author, id } = await upload("a@example.test,A\nb@example.test,B\n");
    expect(await showList(author, id)).toMatchObject({
      columns: ["1. (address)", "2."],
      rows: [
        ["a@example.test", "A"],
        ["b@example.test", "B"],
      ],
    });
  });
});

describe("the accounts as CSV", () => {
  it("have every account once, and no cell that a spreadsheet would run", async () => {
    await db().execute(
      sql`insert into users (email, password_hash) select 'w' || n || '@example.test', '' from generate_series(1, 2100) n`,
    );
    await newAccount("+formula@example.test");
    const parts: string[] = [];
    await exportMembers(
      { match: "", premium: false, now: new Date() },
      async (part) => void parts.push(part),
    );
    const csv = parts.join("");
    const rows = csv.trim().split("\n");
    expect(rows).toHaveLength(2_102);
    expect(new Set(rows).size).toBe(2_102);
    expect(csv).toContain(`"'+formula@example.test"`);
  });
});
