import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { confirmPurchase } from "~/features/billing/checkout-success.server";
import { findProfile, updateProfile } from "~db/queries/profiles";
import { control, newMember, newPayer, newReader, type Reader } from "../support/payments";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });

const mayCallStripe = vi.fn<() => Promise<boolean>>();
beforeEach(() => {
  mayCallStripe.mockReset().mockResolvedValue(true);
});

const confirm = ({ id }: { id: string }, sessionId: string | null) =>
  confirmPurchase(id, sessionId, mayCallStripe);

const forgetRequests = () => control(site.sandboxOrigin, "requests/clear");

/** The calls that Stripe has received. */
async function calls(): Promise<string[]> {
  type Requests = { requests: { endpoint: string }[] };
  const path = "requests";
  const { requests } = await control<Requests>(site.sandboxOrigin, path, undefined, "GET");
  return requests.map(({ endpoint }) => endpoint);
}

/** Makes the row look synced a minute ago. */
const age = ({ id }: Reader) => updateProfile(id, { syncedAt: new Date(Date.now() - 60_000) });

describe("a purchase whose row was synced just now", () => {
  it("is a member's, without a call to Stripe", async () => {
    const member = await newMember(site.sandboxOrigin);
    await forgetRequests();
    expect(await confirm(member, member.sessionId)).toBe("member");
    expect(await confirm(member, null)).toBe("member");
    expect(mayCallStripe).not.toHaveBeenCalled();
    expect(await calls()).toEqual([]);
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

describe("a purchase while Stripe calls are rate limited", () => {
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

  it("is not confirmed with another session, without one, or before a checkout", async () => {
    const payer = await newPayer(site.sandboxOrigin);
    const stranger = await newReader();
    await forgetRequests();
    expect(await confirm(payer, "cs_test_another")).toBeNull();
    expect(await confirm(payer, null)).toBeNull();
    expect(await confirm(stranger, payer.sessionId)).toBeNull();
    expect(await confirm(stranger, null)).toBeNull();
  });
});
