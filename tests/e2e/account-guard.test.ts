import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { avatars, emailChanges, passkeys, sessions, users } from "~db/schema";
import type { Visitor } from "../support/http-client";
import { type ProgramSite, startProgramSite } from "../support/program-site";

const PASSWORD = "a long walk";

let site: ProgramSite;
beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox", RATE_LIMIT_FACTOR: "10000" });
});
afterAll(() => site?.close());

let count = 0;

/** A signed-in person, with their account's id. */
type Person = { visitor: Visitor; email: string; id: string };

async function newPerson(): Promise<Person> {
  const visitor = site.visitor();
  const email = `person-${++count}@example.test`;
  await visitor.signUp(email, PASSWORD);
  const [user] = await site.database.db.select().from(users).where(eq(users.email, email));
  return { visitor, email, id: user?.id ?? "" };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Ids of an account that another account's forms could send. */
type Ids = { session: string; passkey: string; confirmToken: string };

/** Creates a signed-in person with one of everything that an account can have. */
async function newOwner(): Promise<Person & { ids: Ids }> {
  const owner = await newPerson();
  const { db } = site.database;
  const passkey = `key-of-${owner.id}`;
  const confirmToken = owner.id.replaceAll("-", "").padEnd(43, "c");
  await db.insert(passkeys).values({
    id: passkey,
    userId: owner.id,
    name: "the owner's",
    publicKey: Buffer.from("a key"),
    counter: 0,
    transports: ["internal"],
  });
  const picture = { smallSha256: sha256("s"), small: Buffer.from("s") };
  await db.insert(avatars).values({
    userId: owner.id,
    ...picture,
    largeSha256: sha256("l"),
    large: Buffer.from("l"),
  });
  await db.insert(emailChanges).values({
    userId: owner.id,
    oldEmail: owner.email,
    newEmail: `new-${owner.email}`,
    confirmTokenHash: sha256(confirmToken),
    expiresAt: new Date(Date.now() + 60_000),
  });
  await owner.visitor.post("/account/newsletter", { form: { intent: "subscribe" } });
  const [session] = await db.select().from(sessions).where(eq(sessions.userId, owner.id));
  return { ...owner, ids: { session: session?.id ?? "", passkey, confirmToken } };
}

/** Returns every row that contains an account's id or address, except the mail queue and counts of attempts. */
async function rowsOf({ id, email }: Person): Promise<Record<string, string[]>> {
  const { db } = site.database;
  const tables = await db.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    if (name === "mails" || name === "rate_limits") continue;
    const found = await db.execute<{ row: string }>(
      sql`select t::text as row from ${sql.identifier(name)} t
        where position(${id} in t::text) > 0 or position(${email} in t::text) > 0 order by 1`,
    );
    if (found.length > 0) rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

type Fields = Record<string, string>;

/** Every form of the account page, with fields that name another account's things. */
const FORMS: Record<string, { path: string; fields: (ids: Ids) => Fields }> = {
  "account_.confirmation": { path: "/account/confirmation", fields: () => ({}) },
  "account_.delete": { path: "/account/delete", fields: () => ({}) },
  "account_.email": {
    path: "/account/email",
    fields: () => ({ email: "moved@example.test", password: PASSWORD }),
  },
  "account_.email_.confirm": {
    path: "/account/email/confirm",
    fields: ({ confirmToken }) => ({ token: confirmToken }),
  },
  "account_.email_.undo": {
    path: "/account/email/undo",
    fields: ({ confirmToken }) => ({ token: confirmToken }),
  },
  "account_.newsletter": {
    path: "/account/newsletter",
    fields: () => ({ intent: "unsubscribe" }),
  },
  "account_.passkeys, rename": {
    path: "/account/passkeys",
    fields: ({ passkey }) => ({ intent: "rename", passkey, name: "taken" }),
  },
  "account_.passkeys, remove": {
    path: "/account/passkeys",
    fields: ({ passkey }) => ({ intent: "remove", passkey }),
  },
  "account_.password": {
    path: "/account/password",
    fields: () => ({ password: PASSWORD, newPassword: "another one" }),
  },
  "account_.picture": { path: "/account/picture", fields: () => ({ intent: "remove" }) },
  "account_.sessions, one": {
    path: "/account/sessions",
    fields: ({ session }) => ({ session }),
  },
  "account_.sessions, others": {
    path: "/account/sessions",
    fields: () => ({ intent: "end-others" }),
  },
  "account_.verify": { path: "/account/verify", fields: () => ({ password: PASSWORD }) },
};

it("covers every form of the account page", () => {
  const folders = readdirSync(resolve(import.meta.dirname, "../../app/routes"));
  const named = Object.keys(FORMS).map((name) => name.split(",")[0]);
  // the page itself and the download have no form
  expect([...new Set(named)].sort()).toEqual(
    folders.filter((folder) => /^account_/.test(folder) && !folder.includes("data")).sort(),
  );
});

describe.each(Object.entries(FORMS))("the form %s", (_name, { path, fields }) => {
  let owner: Person & { ids: Ids };
  beforeEach(async () => {
    owner = await newOwner();
  });

  it("changes nothing in another account, whatever ids it sends", async () => {
    const before = await rowsOf(owner);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(["avatars", "email_changes", "passkeys", "sessions", "subscribers"]),
    );
    const other = await newPerson();
    // fields that a careless handler would read
    const planted = {
      id: owner.id,
      userId: owner.id,
      user_id: owner.id,
      account: owner.email,
      owner: owner.id,
    };
    const own = fields(owner.ids);
    for (const sent of [own, { ...planted, ...own }]) {
      const answer = await other.visitor.post(path, { form: sent });
      expect(answer.status).toBeLessThan(400);
    }
    expect(await rowsOf(owner)).toEqual(before);
  });

  it("changes nothing for a signed-out visitor", async () => {
    const before = await rowsOf(owner);
    const answer = await site.visitor().post(path, { form: fields(owner.ids) });
    expect([302, 303, 307]).toContain(answer.status);
    expect(answer.headers.location).toMatch(
      /^\/auth(\?leads-to=%2Faccount(%2Fdelete)?|\/old-link\?of=undo|\/unsaved\?to=%2Faccount%2Femail)$/,
    );
    expect(await rowsOf(owner)).toEqual(before);
  });

  it("survives ten simultaneous submissions", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        owner.visitor.post(path, { form: fields(owner.ids), headers: { Connection: "close" } }),
      ),
    );
    for (const answer of answers) {
      expect([302, 303, 503]).toContain(answer.status);
      expect(answer.headers.location ?? "/").toMatch(/^\//);
    }
    expect((await site.visitor().get("/readyz")).status).toBe(200);
    // no submission was left half done
    const rows = await rowsOf(owner);
    const isDeleted = rows.users === undefined;
    expect(isDeleted).toBe(path === "/account/delete");
    if (isDeleted) expect(rows).toEqual({});
    else {
      expect(rows.users).toHaveLength(1);
      expect(rows.sessions?.length ?? 0).toBeLessThanOrEqual(1);
    }
  });
});

describe("the pages of an account", () => {
  it.each(["/account", "/account/data.json", "/account/delete", "/account/verify"])(
    "contain nothing of another account: %s",
    async (path) => {
      const owner = await newOwner();
      const other = await newPerson();
      const answer = await other.visitor.get(`${path}?id=${owner.id}&userId=${owner.id}`);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(other.email);
      for (const secret of [owner.email, owner.ids.session, "key-of-"]) {
        expect(answer.text).not.toContain(secret);
      }
      expect(answer.headers["cache-control"]).toMatch(/no-store/);
    },
  );
});
