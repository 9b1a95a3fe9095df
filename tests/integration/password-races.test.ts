import argon2 from "argon2";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { action as logIn } from "~/routes/auth_.login/route";
import { getDatabase } from "~db/client";
import { deleteOtherSessions, insertSession } from "~db/queries/sessions";
import { findUserByEmail, insertUser, updatePassword } from "~db/queries/users";
import { sessions } from "~db/schema";
import {
  canLogIn,
  choose,
  NEW_PASSWORD,
  newReader,
  OLD_PASSWORD,
  tokenFor,
  withMailedReaders,
} from "../support/password-reset";
import { leadsTo, post } from "../support/routes";

withMailedReaders();

let count = 0;

async function newUser(passwordHash: string) {
  const user = await insertUser({ email: `race-${++count}@example.test`, passwordHash });
  if (!user) throw new Error("The address is taken.");
  return user;
}

const newSession = (userId: string, passwordHash: string) => ({
  tokenHash: `token ${++count}`,
  userId,
  passwordHash,
  expiresAt: new Date(Date.now() + 60_000),
  browser: null,
  system: null,
  network: null,
  verifiedBy: "password" as const,
});

const sessionsOf = (userId: string) =>
  getDatabase().db.select().from(sessions).where(eq(sessions.userId, userId));

describe("log-ins that overlap a change of password", () => {
  it("leave no session opened by the old password", async () => {
    const { email } = await newReader();
    const user = await findUserByEmail(email);
    const token = await tokenFor(email);
    const credentials = { json: { email, password: OLD_PASSWORD } };
    const logIns = Array.from({ length: 24 }, () => post(logIn, credentials));
    const [reset] = await Promise.all([choose(token), ...logIns]);
    expect(await leadsTo(reset)).toBe("/");
    // the session created by the reset itself
    expect(await sessionsOf(user?.id ?? "")).toHaveLength(1);
    expect(await canLogIn(email, OLD_PASSWORD)).toBe(false);
    expect(await canLogIn(email, NEW_PASSWORD)).toBe(true);
  });

  it("do not write the old password's hash back when they rehash it", async () => {
    const outdated = await argon2.hash(OLD_PASSWORD, { memoryCost: 8_192, timeCost: 1 });
    const { email } = await newUser(outdated);
    const token = await tokenFor(email);
    const credentials = { json: { email, password: OLD_PASSWORD } };
    await Promise.all([
      choose(token),
      ...Array.from({ length: 12 }, () => post(logIn, credentials)),
    ]);
    expect(await canLogIn(email, OLD_PASSWORD)).toBe(false);
    expect(await canLogIn(email, NEW_PASSWORD)).toBe(true);
  });
});

describe("a session", () => {
  it("waits for a change of password in progress, and is not opened after it", async () => {
    const { id } = await newUser("the old hash");
    let opened: Promise<boolean> | undefined;
    await getDatabase().db.transaction(async (tx) => {
      await updatePassword(id, { passwordHash: "the new hash", isPasswordGuessable: false }, tx);
      await deleteOtherSessions(id, null, tx);
      opened = insertSession(newSession(id, "the old hash"));
      await untilLockWait();
    });
    expect(await opened).toBe(false);
    expect(await sessionsOf(id)).toEqual([]);
  });

  it("that is opened first makes the change wait, and ends with it", async () => {
    const { id } = await newUser("the old hash");
    let changed: Promise<void> | undefined;
    await getDatabase().db.transaction(async (tx) => {
      expect(await insertSession(newSession(id, "the old hash"), tx)).toBe(true);
      changed = getDatabase().db.transaction(async (other) => {
        await updatePassword(
          id,
          { passwordHash: "the new hash", isPasswordGuessable: false },
          other,
        );
        await deleteOtherSessions(id, null, other);
      });
      await untilLockWait();
    });
    await changed;
    expect(await sessionsOf(id)).toEqual([]);
  });
});

/** Resolves when a statement in this database waits for a lock. */
async function untilLockWait(): Promise<void> {
  for (;;) {
    const [row] = await getDatabase().db.execute<{ waiting: boolean }>(
      sql`select exists (select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock') as waiting`,
    );
    if (row?.waiting) return;
  }
}
