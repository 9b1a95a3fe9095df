import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resetPassword } from "~/features/accounts/password-reset.server";
import { openPasswordReset } from "~/features/accounts/password-reset-request.server";
import { setSession } from "~/features/accounts/sessions.server";
import { findAuthor, isVerifiedFor } from "~/features/desk/author.server";
import { recordChange } from "~/features/desk/desk-log.server";
import {
  composeEmailChange,
  confirmEmailChange,
  requestEmailChange,
  undoEmailChange,
} from "~/features/my-account/change-email.server";
import { getDatabase } from "~db/client";
import { deskChanges } from "~db/schema";
import { type Account, newAccount, newAddress, PASSWORD } from "../support/accounts";
import { ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite();
const db = () => getDatabase().db;

const COLLEAGUE = "colleague@example.test";
let author: Account;

beforeEach(async () => {
  author = await newAccount();
  await db().execute(sql`update users set email_confirmed_at = now() where id = ${author.userId}`);
  site.restoreEnvironment({ AUTHOR_EMAIL: `${author.email}, ${COLLEAGUE}` });
});

afterEach(() => db().execute(sql`truncate mails`));

/** The author that a session's requests come from. */
async function authorOf({ token }: Pick<Account, "token">) {
  const Cookie = (await setSession(token)).split(";")[0] ?? "";
  return findAuthor({ request: new Request(ORIGIN, { headers: { Cookie } }), context: {} });
}

/** Whom the mails about an author's account are addressed to. */
async function told(): Promise<string[]> {
  const rows = await db().execute<{ recipient: string }>(
    sql`select recipient from mails where kind = 'author-account' order by recipient`,
  );
  return rows.map(({ recipient }) => recipient);
}

/** Changes an account's address as its owner would, and returns the token that undoes that. */
async function changeEmail(account: Account, email: string): Promise<string> {
  await requestEmailChange(account, { email, password: PASSWORD }, undefined);
  const mail = await db().transaction((tx) => composeEmailChange(email, tx, null));
  const token = /confirm\?token=([\w-]{43})/.exec(mail?.message.text ?? "")?.[1];
  expect((await confirmEmailChange(token, account.userId)).kind).toBe("changed");
  const [row] = await db().execute<{ text: string }>(
    sql`select message->>'text' as text from mails where kind = 'email-changed'`,
  );
  return /undo\?token=([\w-]{43})/.exec(row?.text ?? "")?.[1] ?? "";
}

async function reset({ userId }: Account): Promise<string> {
  const token = await db().transaction((tx) => openPasswordReset(userId, tx));
  const browser = { clientAddress: undefined, session: null, userAgent: null };
  const outcome = await resetPassword({ token, password: "another long walk" }, browser);
  return outcome.kind === "changed" ? outcome.session : "";
}

describe("an author", () => {
  it("is an account that AUTHOR_EMAIL names, once its address is confirmed", async () => {
    expect(await authorOf(author)).toMatchObject({ userId: author.userId });
    await db().execute(sql`update users set email_confirmed_at = null`);
    expect(await authorOf(author)).toBeNull();
    expect(await authorOf(await newAccount())).toBeNull();
    site.restoreEnvironment();
    expect(await authorOf(author)).toBeNull();
  });

  it("enters the password again after twelve hours, and after ten minutes for what is sensitive", () => {
    const ago = (minutes: number) => ({ verifiedAt: new Date(Date.now() - minutes * 60_000) });
    expect([719, 721].map((minutes) => isVerifiedFor(ago(minutes), "work"))).toEqual([true, false]);
    expect([9, 11].map((minutes) => isVerifiedFor(ago(minutes), "sensitive"))).toEqual([
      true,
      false,
    ]);
    expect(isVerifiedFor({ verifiedAt: null }, "work")).toBe(false);
  });

  it("leaves the desk with a changed address, which every author is told", async () => {
    await changeEmail(author, newAddress());
    expect(await authorOf(author)).toBeNull();
    expect(await told()).toEqual([COLLEAGUE, author.email].sort());
  });

  it("is asked for the password again under another author's address", async () => {
    await changeEmail(author, COLLEAGUE);
    expect(await authorOf(author)).toMatchObject({ verifiedAt: null });
    expect(await told()).toHaveLength(2);
  });

  it("is told of a change of address that was undone", async () => {
    const token = await changeEmail(author, newAddress());
    await db().execute(sql`delete from mails where kind = 'author-account'`);
    expect((await undoEmailChange(token, undefined)).kind).toBe("undone");
    expect(await told()).toHaveLength(2);
  });

  it("leaves the desk on every device with a reset password, which every author is told", async () => {
    const session = await reset(author);
    expect(await authorOf(author)).toBeNull();
    expect(await authorOf({ token: session })).toMatchObject({ userId: author.userId });
    expect(await told()).toHaveLength(2);
  });

  it("is told nothing of other accounts", async () => {
    const reader = await newAccount();
    await changeEmail(reader, newAddress());
    await reset(reader);
    expect(await told()).toEqual([]);
  });

  it("stays in the log without a name once the account is deleted", async () => {
    await recordChange(author, "Paused the letter “Fog”", { about: author.userId });
    await db().execute(sql`delete from users where id = ${author.userId}`);
    expect(await db().select().from(deskChanges)).toEqual([
      expect.objectContaining({ what: "Paused the letter “Fog”", userId: null, aboutUserId: null }),
    ]);
  });
});
