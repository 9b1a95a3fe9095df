import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  findSession,
  findViewer,
  requireAccount,
  requireSubscriber,
  requireViewer,
} from "~/features/accounts/viewer.server";
import { getDatabase, openDatabase, setDatabase } from "~db/client";
import { ensureProfile, updateProfile } from "~db/queries/profiles";
import { users } from "~db/schema";
import { watchLog } from "../support/log";
import { newReader as newAccount } from "../support/payments";
import { freePorts } from "../support/ports.mjs";
import { ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

const ON_SALE = { PAYMENTS: "sandbox", STRIPE_SANDBOX_PORT: "9" };

testSite({ variables: ON_SALE });

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates an account with this profile; `args` are a loader's for a request from its browser. */
async function newReader(profile: Parameters<typeof updateProfile>[1] = {}) {
  const { id, email, cookie } = await newAccount();
  await ensureProfile(id);
  await updateProfile(id, profile);
  return { id, email, args: () => requestWith(cookie) };
}

/** The arguments that Remix passes to loaders for a request with these cookies. */
const requestWith = (Cookie: string) => ({
  request: new Request(ORIGIN, { headers: { Cookie } }),
  context: {} as never,
});

/** A profile that gives access for another day, at this price. */
const paying = (stripePriceId: string) => ({
  stripePriceId,
  stripeCurrentPeriodEnd: new Date(Date.now() + DAY_MS),
});

/** The target of a guard's redirect. */
async function redirectOf(guarded: Promise<unknown>): Promise<string | null> {
  const thrown = await guarded.then(
    () => new Error("It let the viewer through."),
    (error: unknown) => error,
  );
  if (!(thrown instanceof Response)) throw thrown;
  return thrown.headers.get("Location");
}

describe("the viewer", () => {
  it("is the session's user with the profile and the next payment", async () => {
    const stripeCurrentPeriodEnd = new Date("2099-05-06T07:08:09.000Z");
    const { id, email, args } = await newReader({
      stripePriceId: "price_1250_yearly",
      stripeCurrentPeriodEnd,
      stripeCustomerId: "cus_1",
      stripeSubscriptionId: "sub_1",
      stripeSubscriptionStatus: "active",
      nextPaymentAt: new Date("2099-05-04T07:08:09.000Z"),
      nextPaymentAmount: 1_250,
      nextPaymentCurrency: "eur",
    });
    const avatar = "https://photos.example.test/me.jpg";
    await getDatabase().db.update(users).set({ avatarUrl: avatar }).where(eq(users.id, id));
    expect(await findViewer(args())).toEqual({
      user: { id, email, readableEmail: email, user_metadata: { avatar_url: avatar } },
      profile: {
        stripe_price_id: "price_1250_yearly",
        stripe_current_period_end: "2099-05-06T07:08:09.000Z",
        status: { kind: "renews" },
        problem: null,
        nextPayment: { at: "2099-05-04T07:08:09.000Z", amount: "€12.50" },
        hasInvoices: true,
        isPaymentPending: false,
        confirmPaymentUrl: null,
      },
      isSubscribed: true,
    });
  });

  it("is no member without a profile row", async () => {
    const { email, cookie } = await newAccount();
    const viewer = await findViewer(requestWith(cookie));
    expect(viewer).toMatchObject({ user: { email }, isSubscribed: false });
  });

  it("is null without a session", async () => {
    const lines = watchLog();
    expect(await findSession(requestWith(""))).toBeNull();
    expect(await findViewer(requestWith(""))).toBeNull();
    expect(await findViewer(requestWith("session=forged"))).toBeNull();
    expect(lines).toEqual([]);
  });

  it.each([
    ["no customer", {}, false],
    ["a customer without a subscription", { stripeCustomerId: "cus_2" }, false],
    ["a subscription without a customer", { stripeSubscriptionId: "sub_2" }, false],
    ["both", { stripeCustomerId: "cus_3", stripeSubscriptionId: "sub_3" }, true],
  ])("with %s: has invoices only if both are there", async (_name, profile, hasInvoices) => {
    const { args } = await newReader(profile);
    expect((await findViewer(args()))?.profile?.hasInvoices).toBe(hasInvoices);
  });

  it("has no membership's payments to expect after a complimentary one", async () => {
    const { args } = await newReader(paying("complimentary"));
    expect((await findViewer(args()))?.profile).toMatchObject({
      status: { kind: "complimentary" },
      nextPayment: null,
    });
  });
});

describe("a database that is down", () => {
  it("makes the viewer unknown, which is logged once", async () => {
    const { args } = await newReader(paying("price_another"));
    const database = getDatabase();
    const away = openDatabase(`postgres://nobody@127.0.0.1:${await freePorts(1)}/nothing`, {
      restartTimeout: 0,
    });
    const lines = watchLog();
    setDatabase(away);
    try {
      const shared = args();
      expect(await findSession(shared)).toBe("unknown");
      expect(await findViewer(shared)).toBeNull();
      // the page shows 'Loading...' and retries
      expect(await requireSubscriber(shared)).toBeNull();
      expect(await redirectOf(requireViewer(shared, "/auth"))).toBe("/auth");
      const refused = await requireAccount(shared).catch((error: unknown) => error as Response);
      expect(refused).toMatchObject({ status: 503 });
      expect((refused as Response).headers.get("Retry-After")).toBe("5");
      const text = await (refused as Response).text();
      expect(text.trim()).toBe("The site can’t be reached. Please try again.");
    } finally {
      setDatabase(database);
      await away.close();
    }
    expect(lines).toEqual([
      {
        level: "error",
        message: "the viewer could not be read; the page is shown signed out",
        facts: { err: expect.any(Error) },
      },
    ]);
  });
});

describe("a profile that cannot be read", () => {
  it("is logged with its owner's id, and with none if the session has ended", async () => {
    const { db } = getDatabase();
    const reader = await newReader();
    const gone = await newReader();
    await db.execute(sql`delete from sessions where user_id = ${gone.id}`);
    const lines = watchLog();
    await db.execute(sql`alter table profiles rename to profiles_away`);
    try {
      expect(await findViewer(reader.args())).toEqual({
        user: {
          id: reader.id,
          email: reader.email,
          readableEmail: reader.email,
          user_metadata: { avatar_url: null },
        },
        profile: null,
        isSubscribed: false,
      });
      expect(await findSession(gone.args())).toBeNull();
    } finally {
      await db.execute(sql`alter table profiles_away rename to profiles`);
    }
    const line = (userId?: string) => ({
      level: "error",
      message: "the profile could not be read",
      facts: { err: expect.any(Error), userId },
    });
    expect(lines).toEqual([line(reader.id), line(undefined)]);
  });
});
