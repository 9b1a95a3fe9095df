import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { composePasswordReset } from "~/features/accounts/password-reset-request.server";
import { subscribe } from "~/features/newsletter/subscribe.server";
import { loader as resetPage } from "~/routes/auth_.reset-password/route";
import { action as signUp } from "~/routes/auth_.signup/route";
import { action as webhook } from "~/routes/webhooks.stripe/route";
import { getDatabase, setDatabase } from "~db/client";
import { findUserByEmail } from "~db/queries/users";
import { runCommand } from "../../support/command";
import { newMember } from "../../support/payments";
import { temporaryDirectory } from "../../support/program";
import { call, get, post } from "../../support/routes";
import { SESSION_SECRET } from "../../support/session-secret";
import { testSite } from "../../support/site";

const site = testSite({ payments: { webhook: (request) => call(webhook, request) } });
const folder = temporaryDirectory();
beforeEach(() =>
  setEnvironment({
    DATABASE_URL: site.databaseUrl,
    DATA_DIR: folder.path,
    SESSION_SECRET,
    LOG_LEVEL: "silent",
    RATE_LIMIT_FACTOR: "1000",
    PAYMENTS: "sandbox",
    STRIPE_SANDBOX_PORT: new URL(site.sandboxOrigin).port,
  }),
);
afterAll(() => folder.remove());

const succeeded = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr });
const failed = (stderr: string) => ({ code: 1, stdout: "", stderr: `${stderr}\n` });

/** Runs a command, which closes the process's database, and sets this test's database again. */
async function members(...command: string[]) {
  const database = getDatabase();
  try {
    return await runCommand("members", ...command);
  } finally {
    setDatabase(database);
  }
}

let count = 0;

async function newAccount(): Promise<string> {
  const email = `member-${++count}@example.test`;
  await post(signUp, { form: { email, password: "a long walk" } });
  return email;
}

const sessionsOf = async (email: string) => {
  const [row] = await getDatabase().db.execute<{ count: number }>(sql`
    select count(*)::int as count from sessions
    where user_id = (select id from users where email = ${email})`);
  return row?.count;
};

const clear = () => getDatabase().db.execute(sql`truncate users cascade`);

describe("members list and count", () => {
  it("show accounts by address, no more than requested, and their kind", async () => {
    await clear();
    await getDatabase().db.execute(sql`
      insert into users (email, password_hash, created_at, email_confirmed_at)
      select 'reader-' || lpad(n::text, 2, '0') || '@example.test', 'secret',
        '2026-05-01T12:00:00Z', case when n = 1 then now() end
      from generate_series(1, 25) n`);
    await getDatabase().db.execute(sql`
      insert into profiles (id, stripe_subscription_status, stripe_price_id, stripe_current_period_end)
      select id, 'active', case when email not like '%-04@%' then 'price_1' end,
        case when email like '%-03@%' then '2026-01-01Z' else '2999-12-31Z' end::timestamptz
      from users where email between 'reader-02' and 'reader-05'`);
    const { code, stdout, stderr } = await members("list");
    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines).toHaveLength(20);
    expect(lines.slice(0, 4)).toEqual([
      "reader-01@example.test\t2026-05-01\tnot premium\tconfirmed",
      "reader-02@example.test\t2026-05-01\tpremium until 2999-12-31\tnot confirmed",
      // ended, and never paid
      "reader-03@example.test\t2026-05-01\tnot premium\tnot confirmed",
      "reader-04@example.test\t2026-05-01\tnot premium\tnot confirmed",
    ]);
    expect(stdout).not.toContain("secret");
    expect(stderr).toBe("The first 20 by address; see more with --limit, or fewer with --match.\n");
    expect(await members("list", "--limit", "30")).toMatchObject({ stderr: "25 in all\n" });
    expect(await members("list", "--premium")).toEqual(
      succeeded(
        "reader-02@example.test\t2026-05-01\tpremium until 2999-12-31\tnot confirmed\n",
        "1 in all\n",
      ),
    );
    expect((await members("list", "--match", "READER-2", "--limit", "2")).stdout).toMatch(
      /^reader-20@.*\nreader-21@.*\n$/,
    );
    const csv = (await members("list", "--csv")).stdout.split("\n");
    expect(csv).toHaveLength(27);
    expect(csv[0]).toBe('\ufeff"email","created_at","email_confirmed_at","premium_until"');
    expect(csv[2]).toBe(
      '"reader-02@example.test","2026-05-01T12:00:00.000Z",,"2999-12-31T00:00:00.000Z"',
    );
    // not a pattern
    expect(await members("list", "--match", "%")).toEqual(succeeded("", "0 in all\n"));
    expect(await members("count")).toEqual(
      succeeded(
        [
          "         25  accounts",
          "          0    new in the last 30 days",
          "          1    with a confirmed address",
          "          1    premium members",
          "          0      of these, complimentary",
          "          0    being deleted\n",
        ].join("\n"),
      ),
    );
    const email = await newAccount();
    await getDatabase().db.execute(sql`
      insert into account_deletions (user_id) select id from users where email = ${email}`);
    expect((await members("count")).stdout).toMatch(/26 {2}accounts\n +1 {4}new[\s\S]*1 {4}being/);
  });

  it("print no terminal control characters, whatever an address contains", async () => {
    await clear();
    await getDatabase().db.execute(
      sql`insert into users (email, password_hash) values (${"a\u001b[2J\u009b2J\u202e\n@b.test"}, '')`,
    );
    const { stdout } = await members("list");
    expect(stdout).toMatch(
      /^a\ufffd\[2J\ufffd2J\ufffd\ufffd@b\.test\t\S+\tnot premium\tnot confirmed\n$/,
    );
    await clear();
  });
});

describe("members show", () => {
  it("says what an account is and has, but not what it wrote", async () => {
    const member = await newMember(site.sandboxOrigin);
    await subscribe(member.email);
    await getDatabase().db.execute(sql`
      insert into notes (user_id, slug, title, text) values (${member.id}, 'gates', 'Gates', 'private')`);
    const { code, stdout, stderr } = await members("show", member.email.toUpperCase());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("private");
    const today = new Date().toISOString().slice(0, 10);
    const facts = stdout.trimEnd().split("\n");
    expect(facts).toEqual([
      `Email         ${member.email}`,
      "Address       not confirmed",
      `Account       ${member.id}`,
      `Created       ${today}`,
      expect.stringMatching(
        /^Membership {4}premium until [\d-]{10}, renews, next payment \$9\.99 on [\d-]{10}$/,
      ),
      `Customer      ${member.customer}`,
      `Subscription  ${member.subscription}`,
      "Newsletter    yes",
      expect.stringMatching(/^Logged in {5}\d browsers?$/),
      "Passkeys      0",
      "Notes on      1 text",
    ]);
  });
});

describe("every command about one member", () => {
  it.each(["show", "reset-link", "sign-out", "export", "delete"])(
    "%s refuses an invalid address, and an address without an account",
    async (command) => {
      expect(await members(command, "no\u001b[2Jbody")).toEqual(
        failed("'no\ufffd[2Jbody' is not an email address."),
      );
      expect(await members(command, "nobody@example.test")).toEqual(
        failed("nobody@example.test has no account."),
      );
    },
  );
});

describe("members reset-link", () => {
  it("prints a link that is valid for an hour", async () => {
    const email = await newAccount();
    const { code, stdout, stderr } = await members("reset-link", ` ${email.toUpperCase()} `);
    expect(code).toBe(0);
    expect(stderr).toContain("once, for an hour");
    expect(stderr).toContain("This address isn't confirmed yet.");
    const link = new URL(stdout.trim());
    expect(link.pathname).toBe("/auth/reset-password");
    const page = await get(resetPage, link.pathname + link.search);
    expect(await page.json()).toMatchObject({ email });
  });

  it("shares the limits of the mailed links", async () => {
    const email = await newAccount();
    const first = await members("reset-link", email);
    expect(first.code).toBe(0);
    const refused = failed(
      "No link was made, because the last one is less than a minute old or there were six within an hour. The last one still works.",
    );
    expect(await members("reset-link", email)).toEqual(refused);
    const { db } = getDatabase();
    expect(await db.transaction((tx) => composePasswordReset(email, tx, null))).toBeNull();
    const { pathname, search } = new URL(first.stdout.trim());
    expect((await get(resetPage, pathname + search)).status).toBe(200);
    await db.execute(sql`
      update password_resets set created_at = created_at - interval '2 minutes', mail_count = 6`);
    expect(await members("reset-link", email)).toEqual(refused);
  });
});

describe("members sign-out", () => {
  it("ends all sessions of the account, and no others", async () => {
    const email = await newAccount();
    const other = await newAccount();
    expect(await members("sign-out", email)).toEqual(
      succeeded(`${email} was logged out of 1 browser.\n`),
    );
    expect(await sessionsOf(email)).toBe(0);
    expect(await sessionsOf(other)).toBe(1);
    expect(await members("sign-out", email)).toEqual(
      succeeded(`${email} was logged out of 0 browsers.\n`),
    );
  });
});

describe("members export", () => {
  it("writes the member's own file to standard output, without terminal control characters", async () => {
    const email = await newAccount();
    const user = await findUserByEmail(email);
    await getDatabase().db.execute(sql`
      insert into notes (user_id, slug, title, text)
      values (${user?.id}, 'gates', 'Gates', ${"\u001b[2J\u009b2J\u202e"})`);
    const { code, stdout, stderr } = await members("export", email);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toMatch(/(?!\n)\p{C}/u);
    expect(JSON.parse(stdout)).toMatchObject({
      account: { id: user?.id, email },
      notes: [{ text: "\u001b[2J\u009b2J\u202e" }],
    });
  });
});

describe("members delete", () => {
  it("does nothing without --yes if it cannot ask; otherwise deletes the account and its customer at Stripe", async () => {
    const member = await newMember(site.sandboxOrigin);
    const unconfirmed = await members("delete", member.email);
    expect(unconfirmed).toMatchObject({ code: 1, stdout: "" });
    expect(unconfirmed.stderr).toContain("premium until");
    expect(unconfirmed.stderr).toContain("Nothing was done: without a terminal, add --yes");
    expect(await findUserByEmail(member.email)).not.toBeNull();

    const { code, stdout, stderr } = await members("delete", member.email, "--yes");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${member.email} was deleted.\n` });
    expect(stderr).toContain("Stripe keeps the receipts");
    expect(await findUserByEmail(member.email)).toBeNull();
    expect(await members("delete", member.email, "--yes")).toEqual(
      failed(`${member.email} has no account.`),
    );
  });
});
