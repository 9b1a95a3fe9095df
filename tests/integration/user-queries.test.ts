import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getDatabase } from "~db/client";
import {
  deleteExpiredPasswordResets,
  findPasswordReset,
  takePasswordReset,
} from "~db/queries/password-resets";
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionOfUser,
  insertSession,
} from "~db/queries/sessions";
import {
  claimSignUpNotice,
  findAccountCreation,
  findEmailOfUser,
  findPasswordHash,
  holdUser,
  insertUser,
  isEmailConfirmed,
  updatePasswordHash,
} from "~db/queries/users";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());

const MINUTE_MS = 60 * 1000;
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);

let count = 0;

async function newUser() {
  const email = `row-${++count}-${Date.now()}@example.test`;
  const user = await insertUser({ email, passwordHash: "a hash" });
  if (!user) throw new Error("The address is taken.");
  return user;
}

/** Stores a password reset that expires then, and returns its token's hash. */
async function newReset(expiresAt: Date): Promise<{ userId: string; tokenHash: string }> {
  const { id } = await newUser();
  const tokenHash = `reset ${count}`;
  await getDatabase().db.execute(
    sql`insert into password_resets (user_id, token_hash, expires_at)
        values (${id}, ${tokenHash}, ${expiresAt.toISOString()})`,
  );
  return { userId: id, tokenHash };
}

describe("an account", () => {
  it("knows when it was created", async () => {
    const { id } = await newUser();
    await getDatabase().db.execute(
      sql`update users set created_at = '2024-03-04T05:06:07Z' where id = ${id}`,
    );
    expect(await findAccountCreation(id)).toEqual(new Date("2024-03-04T05:06:07.000Z"));
    expect(await findAccountCreation(randomUUID())).toBeNull();
  });

  it("is held as it is until a transaction ends, and is null if there is none", async () => {
    const { id, email } = await newUser();
    const { db } = getDatabase();
    const change = await db.transaction(async (tx) => {
      expect(await holdUser(id, tx)).toEqual({ email, passwordHash: "a hash" });
      expect(await holdUser(randomUUID(), tx)).toBeNull();
      return db
        .transaction(async (other) => {
          await other.execute(sql`set local lock_timeout = '200ms'`);
          await updatePasswordHash(id, "another", other);
          return "changed";
        })
        .catch(() => "held");
    });
    expect(change).toBe("held");
  });

  it("that does not exist has no hash, no address, and none that is confirmed", async () => {
    const nobody = randomUUID();
    expect(await findPasswordHash(nobody)).toBeNull();
    expect(await findEmailOfUser(nobody)).toBeNull();
    expect(await isEmailConfirmed(nobody)).toBe(false);
    const { id, email } = await newUser();
    expect(await findPasswordHash(id)).toBe("a hash");
    expect(await findEmailOfUser(id)).toBe(email);
  });

  it("ends a session of its own by id, and says whether there was one", async () => {
    const [{ id }, other] = [await newUser(), await newUser()];
    const [row] = await getDatabase().db.execute<{ id: string }>(
      sql`insert into sessions (token_hash, user_id, expires_at)
          values (${`own ${count}`}, ${id}, now() + interval '1 day') returning id`,
    );
    const session = row?.id ?? "";
    expect(await deleteSessionOfUser(other.id, session)).toBe(false);
    expect(await deleteSessionOfUser(id, session)).toBe(true);
    expect(await deleteSessionOfUser(id, session)).toBe(false);
  });

  it("has an address that nobody else can take, in any case", async () => {
    const { email } = await newUser();
    expect(await insertUser({ email: email.toUpperCase(), passwordHash: "x" })).toBeNull();
  });

  it("has its notice of a sign-up attempt claimed once in a while, and only if it exists", async () => {
    const { email } = await newUser();
    const claim = (address: string) =>
      claimSignUpNotice(address, { now: minutesFromNow(0), notSince: minutesFromNow(-1) });
    expect(await claim(email.toUpperCase())).toBe(email);
    expect(await claim(email)).toBeNull();
    expect(await claim("nobody@example.test")).toBeNull();
  });

  it("is the only one whose password changes", async () => {
    const [changed, other] = [await newUser(), await newUser()];
    await updatePasswordHash(changed.id, "another hash");
    const rows = await getDatabase().db.execute<{ id: string; password_hash: string }>(
      sql`select id, password_hash from users where id in (${changed.id}, ${other.id})`,
    );
    expect(Object.fromEntries(rows.map((row) => [row.id, row.password_hash]))).toEqual({
      [changed.id]: "another hash",
      [other.id]: "a hash",
    });
  });
});

describe("a password reset", () => {
  it("is used up once", async () => {
    const { userId, tokenHash } = await newReset(minutesFromNow(1));
    expect(await findPasswordReset(tokenHash, minutesFromNow(0))).toMatchObject({ userId });
    expect(await takePasswordReset(tokenHash, minutesFromNow(0))).toBe(userId);
    expect(await takePasswordReset(tokenHash, minutesFromNow(0))).toBeNull();
    expect(await findPasswordReset(tokenHash, minutesFromNow(0))).toBeNull();
  });

  it("is cleared away once it has expired, and not before", async () => {
    const expired = [await newReset(minutesFromNow(-1)), await newReset(minutesFromNow(-2))];
    const open = await newReset(minutesFromNow(1));
    expect(await deleteExpiredPasswordResets(minutesFromNow(0))).toBe(2);
    const rows = await getDatabase().db.execute<{ token_hash: string }>(
      sql`select token_hash from password_resets`,
    );
    const left = rows.map(({ token_hash }) => token_hash);
    expect(left).toContain(open.tokenHash);
    for (const { tokenHash } of expired) expect(left).not.toContain(tokenHash);
  });
});

/** A session in a browser that does not say what it is. */
const UNNAMED = { browser: null, system: null, verifiedBy: "password" } as const;

describe("a session", () => {
  it("is deleted once, which names its user", async () => {
    const { id } = await newUser();
    const session = { tokenHash: "session", userId: id, passwordHash: "a hash" };
    await insertSession({ ...UNNAMED, ...session, expiresAt: minutesFromNow(1) });
    expect(await deleteSession("session")).toBe(id);
    expect(await deleteSession("session")).toBeNull();
  });

  it("is cleared away once it has expired", async () => {
    const { id } = await newUser();
    for (const minutes of [-2, -1, 1]) {
      const session = { tokenHash: `${minutes}`, userId: id, passwordHash: "a hash" };
      await insertSession({ ...UNNAMED, ...session, expiresAt: minutesFromNow(minutes) });
    }
    expect(await deleteExpiredSessions(minutesFromNow(0))).toBe(2);
    expect(await deleteSession("1")).toBe(id);
  });
});
