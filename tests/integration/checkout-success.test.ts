import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type CallPurpose, callPurpose } from "~/features/billing/call-purpose.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { confirmPurchase } from "~/features/billing/checkout-success.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { watchLog } from "../support/log";
import { control, newMember, newPayer, newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());

const mayCallStripe = vi.fn<() => Promise<boolean>>();
beforeEach(() => {
  mayCallStripe.mockReset().mockResolvedValue(true);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await control(site.sandboxOrigin, "faults/clear");
});

const confirm = ({ id }: { id: string }, sessionId: string | null) =>
  confirmPurchase(id, sessionId, mayCallStripe);

const forgetRequests = () => control(site.sandboxOrigin, "requests/clear");

/** The calls that Stripe has had. */
async function calls(): Promise<string[]> {
  type Requests = { requests: { endpoint: string }[] };
  const path = "requests";
  const { requests } = await control<Requests>(site.sandboxOrigin, path, undefined, "GET");
  return requests.map(({ endpoint }) => endpoint);
}

const SESSION = "GET /v1/checkout/sessions/:id";

/** Opens a checkout without paying; resolves to its session. */
async function openSession(reader: Reader): Promise<string> {
  const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
  if (outcome.kind !== "checkout") throw new Error(outcome.kind);
  return outcome.sessionId;
}

/** An account that pays from its bank account, which takes days. */
const newPatientPayer = () => newPayer(site.sandboxOrigin, { card: "bank_account" });

/** As if the row had been synced a minute ago. */
const age = ({ id }: Reader) => updateProfile(id, { syncedAt: new Date(Date.now() - 60_000) });

describe("a purchase whose row was synced just now", () => {
  it("is a member's, without asking anybody", async () => {
    const member = await newMember(site.sandboxOrigin);
    await forgetRequests();
    expect(await confirm(member, member.sessionId)).toBe("member");
    expect(await confirm(member, null)).toBe("member");
    expect(mayCallStripe).not.toHaveBeenCalled();
    expect(await calls()).toEqual([]);
  });

  it("is none without a session, or with what cannot be one", async () => {
    const reader = await newReader();
    await openSession(reader);
    await updateProfile(reader.id, { syncedAt: new Date() });
    await forgetRequests();
    const invalid = ["", "cs_", "_cs_test_1", "cs_test_1/pay", `cs_${"x".repeat(251)}`, "../cs_a"];
    for (const session of [null, ...invalid]) expect(await confirm(reader, session)).toBeNull();
    expect(mayCallStripe).not.toHaveBeenCalled();
    expect(await calls()).toEqual([]);
  });

  it("may have been paid since, if there is a session", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    await updateProfile(payer.id, { syncedAt: new Date() });
    expect(await confirm(payer, payer.sessionId)).toBe("member");
    expect(mayCallStripe).toHaveBeenCalledOnce();
  });

  it("is used for 5 seconds", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const member = await newMember(site.sandboxOrigin);
    await updateProfile(member.id, { syncedAt: new Date() });
    vi.setSystemTime(Date.now() + 4_999);
    expect(await confirm(member, null)).toBe("member");
    expect(mayCallStripe).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() + 1);
    expect(await confirm(member, null)).toBe("member");
    expect(mayCallStripe).toHaveBeenCalledOnce();
  });
});

describe("a purchase that Stripe is asked about", () => {
  it("is none of an account that has just been deleted", async () => {
    const deleted = { id: randomUUID() };
    expect(await confirm(deleted, null)).toBeNull();
    mayCallStripe.mockResolvedValue(false);
    expect(await confirm(deleted, "cs_test_1")).toBeNull();
  });

  it("is being confirmed once its session is complete", async () => {
    const payer = await newPatientPayer();
    await forgetRequests();
    expect(await confirm(payer, payer.sessionId)).toBe("confirming");
    expect(await calls()).toContain(SESSION);
    expect(await confirm(payer, null)).toBeNull();
  });

  it("is none while its session is open, or if that is not at Stripe", async () => {
    const reader = await newReader();
    expect(await confirm(reader, await openSession(reader))).toBeNull();
    await forgetRequests();
    for (const session of ["cs_test_madeUp", `cs_${"x".repeat(250)}`]) {
      expect(await confirm(reader, session)).toBeNull();
    }
    expect((await calls()).filter((call) => call === SESSION)).toHaveLength(2);
  });

  it("is none if the complete session is another person's", async () => {
    const payer = await newPatientPayer();
    expect(await confirm(await newReader(), payer.sessionId)).toBeNull();
  });

  it("is being confirmed while Stripe fails to tell of its session, which the log explains", async () => {
    const reader = await newReader();
    const fault = { kind: "error", status: 403, match: "GET /v1/checkout/sessions/" };
    await control(site.sandboxOrigin, "faults", fault);
    const lines = watchLog();
    expect(await confirm(reader, "cs_test_1")).toBe("confirming");
    expect(lines).toMatchObject([
      {
        level: "error",
        message: "the payment could not be confirmed yet",
        facts: { userId: reader.id, err: { statusCode: 403 } },
      },
    ]);
  });

  it("is asked about once by all at the same time, in calls about a membership", async () => {
    const payer = await newPatientPayer();
    const { sessions } = stripeClient().checkout;
    const retrieve = sessions.retrieve.bind(sessions);
    const purposes: CallPurpose[] = [];
    vi.spyOn(sessions, "retrieve").mockImplementation((...parameters) => {
      purposes.push(callPurpose());
      return retrieve(...(parameters as Parameters<typeof retrieve>));
    });
    const states = await Promise.all([1, 2, 3].map(() => confirm(payer, payer.sessionId)));
    expect(states).toEqual(["confirming", "confirming", "confirming"]);
    expect(purposes).toEqual(["membership"]);
    const other = await newReader();
    const [mine, theirs, without] = await Promise.all([
      confirm(payer, payer.sessionId),
      confirm(other, payer.sessionId),
      confirm(payer, null),
    ]);
    expect([mine, theirs, without]).toEqual(["confirming", null, null]);
  });
});

describe("a purchase that Stripe must not be asked about", () => {
  beforeEach(() => {
    mayCallStripe.mockResolvedValue(false);
  });
  afterEach(async () => {
    expect(mayCallStripe).toHaveBeenCalled();
    expect(await calls()).toEqual([]);
  });

  it("is a member's as long as the row says so", async () => {
    const member = await newMember(site.sandboxOrigin);
    await age(member);
    await forgetRequests();
    expect(await confirm(member, null)).toBe("member");
    expect(await confirm(member, member.sessionId)).toBe("member");
  });

  it("is being confirmed if the session is that of the latest checkout", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    await forgetRequests();
    expect(await confirm(payer, payer.sessionId)).toBe("confirming");
    expect((await findProfile(payer.id))?.syncedAt).toBeNull();
  });

  it("is none with another session, without one, or before a checkout", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    const stranger = await newReader();
    await forgetRequests();
    expect(await confirm(payer, "cs_test_another")).toBeNull();
    expect(await confirm(payer, null)).toBeNull();
    expect(await confirm(stranger, payer.sessionId)).toBeNull();
    expect(await confirm(stranger, null)).toBeNull();
  });
});
