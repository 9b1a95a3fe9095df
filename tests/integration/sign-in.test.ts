import argon2 from "argon2";
import { sql } from "drizzle-orm";
import { describe, expect, it, onTestFinished } from "vitest";
import { requestPasswordReset } from "~/features/accounts/password-reset-request.server";
import { logIn, type SigningBrowser, signUp } from "~/features/accounts/sign-in.server";
import { signOut } from "~/features/accounts/sign-out.server";
import { getDatabase } from "~db/client";
import { findUserByEmail, insertUser } from "~db/queries/users";
import { whileHashQueueIsFull } from "../support/hash-flood";
import { watchLog } from "../support/log";
import { mailIdle } from "../support/mail";
import { runMailWorker } from "../support/mail-worker";
import { testSite } from "../support/site";
import { withoutDatabase } from "../support/without-database";

testSite();

const PASSWORD = "open sesame";

let count = 0;
const newEmail = () => `signer-${++count}-${Date.now()}@example.test`;

/** A browser at this address without a session that has never signed in. */
const browserAt = (clientAddress?: string): SigningBrowser => ({
  clientAddress,
  session: null,
  knownBrowser: null,
  userAgent: null,
});

/** Creates an account; `session` is the token of its open session. */
async function newAccount() {
  const email = newEmail();
  const outcome = await signUp({ email, password: PASSWORD }, browserAt());
  const user = await findUserByEmail(email);
  if (outcome.kind !== "signed-in" || !user) throw new Error("Could not sign up.");
  return { email, id: user.id, passwordHash: user.passwordHash, session: outcome.session };
}

describe("the security log", () => {
  it("names the account, the network and whether the browser is known at a log-in", async () => {
    const { email, id } = await newAccount();
    const lines = watchLog();
    await logIn({ email, password: PASSWORD }, browserAt("2001:db8:1:2:3::4"));
    const known = { ...browserAt("192.0.2.7"), knownBrowser: "the browser" };
    await logIn({ email, password: PASSWORD }, known);
    const facts = { security: "signed-in", userId: id };
    expect(lines).toEqual([
      {
        level: "info",
        message: "signed in",
        facts: { ...facts, network: "2001:db8:1:2::/64", knownBrowser: false },
      },
      {
        level: "info",
        message: "signed in",
        facts: { ...facts, network: "192.0.2.7", knownBrowser: true },
      },
    ]);
  });

  it("does so at a sign-up", async () => {
    const email = newEmail();
    const lines = watchLog();
    await signUp({ email, password: PASSWORD }, browserAt("192.0.2.8"));
    const user = await findUserByEmail(email);
    expect(lines).toEqual([
      {
        level: "info",
        message: "signed up",
        facts: {
          security: "signed-up",
          userId: user?.id,
          network: "192.0.2.8",
          knownBrowser: false,
        },
      },
    ]);
  });

  it("names the account of a wrong password, if there is one, and never the address", async () => {
    const { email, id } = await newAccount();
    const lines = watchLog();
    await logIn({ email, password: "not that one" }, browserAt("192.0.2.9"));
    await logIn({ email: newEmail(), password: "not that one" }, browserAt("192.0.2.9"));
    await signUp({ email: newEmail(), password: "12345" }, browserAt("192.0.2.9"));
    const line = (way: string, userId: string | null) => ({
      level: "warn",
      message: "sign-in rejected",
      facts: { security: "sign-in-failed", way, userId, network: "192.0.2.9" },
    });
    expect(lines).toEqual([line("login", id), line("login", null), line("signup", null)]);
  });

  it("names the account of a reset request, and nothing for an unknown address", async () => {
    const { email, id } = await newAccount();
    // new accounts' welcome mails would be logged, too
    await getDatabase().db.execute(sql`truncate mails`);
    const worker = await runMailWorker();
    onTestFinished(() => worker.stop(5_000));
    const lines = watchLog();
    expect(await requestPasswordReset(newEmail(), null)).toEqual({ kind: "accepted" });
    await mailIdle();
    expect(lines).toEqual([]);
    expect(await requestPasswordReset(email, null)).toEqual({ kind: "accepted" });
    await mailIdle();
    expect(lines[0]).toEqual({
      level: "info",
      message: "password reset requested",
      facts: { security: "password-reset-requested", userId: id },
    });
  });
});

describe("while the database cannot be reached", () => {
  it.each([
    ["login", logIn],
    ["signup", signUp],
  ])("a %s fails and is logged", async (way, sign) => {
    const lines = watchLog();
    const outcome = await withoutDatabase(() =>
      sign({ email: newEmail(), password: PASSWORD }, browserAt()),
    );
    expect(outcome).toEqual({ kind: "failed" });
    expect(lines).toEqual([
      { level: "error", message: `${way} failed`, facts: { err: expect.any(Error) } },
    ]);
  });

  it("signing out fails, is logged, and leaves the session open", async () => {
    const { id, session } = await newAccount();
    const lines = watchLog();
    expect(await withoutDatabase(() => signOut(session))).toEqual({ kind: "failed" });
    expect(lines).toEqual([
      { level: "error", message: "sign out failed", facts: { err: expect.any(Error) } },
    ]);
    await signOut(session);
    expect(lines.at(-1)?.facts).toEqual({ security: "signed-out", userId: id });
  });
});

describe("while passwords from one network fill the queue for hashing", () => {
  it("log-ins from it fail, and others succeed", async () => {
    const { email } = await newAccount();
    const lines = watchLog();
    await whileHashQueueIsFull("203.0.113.1", async () => {
      const known = { email, password: PASSWORD };
      expect(await logIn(known, browserAt("203.0.113.1"))).toEqual({ kind: "busy" });
      const unknown = { email: newEmail(), password: PASSWORD };
      expect(await signUp(unknown, browserAt("203.0.113.1"))).toEqual({ kind: "busy" });
      expect(lines).toEqual([]);
      expect(await logIn(known, browserAt("198.51.100.1"))).toMatchObject({ kind: "signed-in" });
    });
  });
});

describe("the hash of a password", () => {
  const OUTDATED = { memoryCost: 8_192, timeCost: 1 };

  async function outdatedAccount() {
    const passwordHash = await argon2.hash(PASSWORD, OUTDATED);
    const user = await insertUser({ email: newEmail(), passwordHash });
    if (!user) throw new Error("The address is taken.");
    return user;
  }

  const hashOf = async ({ email }: { email: string }) =>
    (await findUserByEmail(email))?.passwordHash;

  it("is renewed at log-in if its parameters are outdated, which is logged", async () => {
    const user = await outdatedAccount();
    const lines = watchLog();
    await logIn({ email: user.email, password: PASSWORD }, browserAt());
    expect(await hashOf(user)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(lines[0]).toEqual({
      level: "info",
      message: "password hash renewed with the current parameters",
      facts: { userId: user.id },
    });
  });

  it("is renewed without rejecting a simultaneous log-in", async () => {
    const { email } = await outdatedAccount();
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => logIn({ email, password: PASSWORD }, browserAt())),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(6).fill("signed-in"));
  });
});
