import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  findSessionViewer,
  openSession,
  renewSession,
  setSession,
} from "~/features/accounts/sessions.server";
import { endOtherSessions, endSession } from "~/features/my-account/end-sessions.server";
import { getDatabase } from "~db/client";
import { findAccountFacts, type ListedSession } from "~db/queries/account-facts";
import { updateSession } from "~db/queries/sessions";
import { insertUser } from "~db/queries/users";
import { sessions } from "~db/schema";
import { testSite } from "../support/site";

testSite();

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
const DAY_MS = 24 * 60 * 60 * 1000;

let count = 0;

async function newUser() {
  const email = `session-${++count}-${Date.now()}@example.test`;
  const user = await insertUser({ email, passwordHash: "a hash" });
  if (!user) throw new Error("The address is taken.");
  return user;
}

/** Opens a session, and returns what a request with its cookie finds. */
async function open(user: Awaited<ReturnType<typeof newUser>>, userAgent: string | null = null) {
  const token = await openSession(user, null, { userAgent });
  const cookie = (await setSession(token ?? "")).split(";")[0] ?? "";
  const request = new Request("http://localhost:3000", { headers: { Cookie: cookie } });
  const find = async () => {
    const found = await findSessionViewer(request);
    return found && { tokenHash: found.tokenHash, ...found.session };
  };
  const found = await find();
  if (!found) throw new Error("The session was not opened.");
  return { ...found, request, find };
}

async function listed(userId: string, sessionLimit = 50): Promise<ListedSession[]> {
  const facts = await findAccountFacts(userId, { asOf: new Date(), sessionLimit });
  return facts?.sessions ?? [];
}

describe("a session", () => {
  it("stores the names of its browser and system, and nothing else of the User-Agent", async () => {
    const user = await newUser();
    await open(user, FIREFOX);
    const [row] = await getDatabase()
      .db.select()
      .from(sessions)
      .where(eq(sessions.userId, user.id));
    expect(row).toMatchObject({ browser: "Firefox", system: "Windows", verifiedBy: "password" });
    // with its point, since a random hash may have any digits
    expect(JSON.stringify(row)).not.toMatch(/140\.0|Mozilla|Gecko/);
  });

  it("records the day of its last use, once a day", async () => {
    const session = await open(await newUser());
    expect(await renewSession(session.request, session)).toBeNull();
    const yesterday = new Date(Date.now() - DAY_MS);
    await updateSession(session.tokenHash, { lastSeenAt: yesterday });
    const before = await session.find();
    if (!before) throw new Error("The session has ended.");
    // seen, and not old enough to be extended
    expect(await renewSession(session.request, before)).toBeNull();
    const after = await session.find();
    expect(Date.now() - (after?.lastSeenAt.getTime() ?? 0)).toBeLessThan(60_000);
    expect(after?.expiresAt).toEqual(before.expiresAt);
  });

  it("is listed for its owner alone, the last seen first, without secrets", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const [first, second] = [await open(user), await open(user)];
    await open(other);
    await updateSession(second.tokenHash, { lastSeenAt: new Date(Date.now() - DAY_MS) });
    const rows = await listed(user.id);
    const [{ createdAt, lastSeenAt }, before] = [first, await second.find()];
    expect(rows).toEqual([
      { id: first.id, browser: null, system: null, network: null, createdAt, lastSeenAt },
      expect.objectContaining({ id: second.id, lastSeenAt: before?.lastSeenAt }),
    ]);
    expect((await listed(user.id, 1)).map(({ id }) => id)).toEqual([first.id]);
  });
});

describe("ending sessions", () => {
  it("ends the given one, of this account alone", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const [mine, kept, theirs] = [await open(user), await open(user), await open(other)];
    expect(await endSession(user.id, theirs.id)).toEqual({ kind: "ended" });
    expect(await theirs.find()).not.toBeNull();
    expect(await endSession(user.id, mine.id)).toEqual({ kind: "ended" });
    expect(await mine.find()).toBeNull();
    expect(await kept.find()).not.toBeNull();
    // gone already
    expect(await endSession(user.id, mine.id)).toEqual({ kind: "ended" });
  });

  it("ends all but this one, or all", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const [kept, theirs] = [await open(user), await open(other)];
    await open(user);
    await open(user);
    await endOtherSessions(user.id, kept.tokenHash);
    expect((await listed(user.id)).map(({ id }) => id)).toEqual([kept.id]);
    await endOtherSessions(user.id, null);
    expect(await listed(user.id)).toEqual([]);
    expect(await theirs.find()).not.toBeNull();
  });
});
