import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteCustomer } from "~/features/billing/delete-customer.server";
import { type LogLine, watchLog } from "../support/log";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";

let stripe: RecordingStripe;
let lines: LogLine[];
beforeAll(async () => {
  stripe = await startRecordingStripe();
});
afterAll(() => stripe.close());
beforeEach(() => {
  stripe.reset();
  lines = watchLog();
});
afterEach(() => vi.restoreAllMocks());

const GET = "GET /v1/customers/cus_1";
const DELETE = "DELETE /v1/customers/cus_1";
const THERE = { status: 200 };
const DELETED = { status: 200, fields: { deleted: true } };
const MISSING = {
  status: 404,
  error: { type: "invalid_request_error", code: "resource_missing", param: "id" },
};
const REJECTED = { status: 400, error: { type: "invalid_request_error", message: "no" } };
const FAILED = { status: 500, error: { type: "api_error", message: "later" } };
const LOST = { status: 0, isLost: true };
const UNKNOWN_OUTCOMES = [
  ["an error of Stripe's", FAILED],
  ["no answer at all", LOST],
] as const;

describe("a customer", () => {
  it("is deleted at Stripe", async () => {
    expect(await deleteCustomer("cus_1")).toEqual({ kind: "deleted" });
    expect(stripe.calls).toEqual([GET, DELETE]);
    expect(lines).toEqual([]);
  });

  it("that was deleted before is not deleted again", async () => {
    stripe.answers = { [GET]: DELETED };
    expect(await deleteCustomer("cus_1")).toEqual({ kind: "deleted" });
    expect(stripe.calls).toEqual([GET]);
    expect(lines).toEqual([]);
  });

  it("that Stripe does not know is refused, and the operator reads where to look", async () => {
    stripe.answers = { [GET]: MISSING };
    expect(await deleteCustomer("cus_1")).toEqual({ kind: "refused" });
    expect(stripe.calls).toEqual([GET]);
    expect(lines).toEqual([
      {
        level: "error",
        message: expect.stringContaining("STRIPE_SECRET_KEY"),
        facts: { stripeCustomerId: "cus_1" },
      },
    ]);
  });

  it("is not deleted while Stripe does not say whether it is there", async () => {
    stripe.answers = { [GET]: FAILED };
    expect(await deleteCustomer("cus_1")).toEqual({ kind: "refused" });
    expect(stripe.calls).not.toContain(DELETE);
    expect(lines).toMatchObject([
      { level: "error", facts: { stripeCustomerId: "cus_1", err: { statusCode: 500 } } },
    ]);
  });
});

describe("a deletion that fails", () => {
  it("is refused if Stripe rejects it and the customer is still there", async () => {
    stripe.answers = { [DELETE]: REJECTED };
    expect(await deleteCustomer("cus_1")).toEqual({ kind: "refused" });
    expect(stripe.calls).toEqual([GET, DELETE, GET]);
    expect(lines).toMatchObject([
      { level: "error", facts: { stripeCustomerId: "cus_1", err: { statusCode: 400 } } },
    ]);
  });

  it.each(UNKNOWN_OUTCOMES)(
    "is in doubt after %s, as it may still take effect",
    async (_name, answer) => {
      stripe.answers = { [DELETE]: answer };
      expect(await deleteCustomer("cus_1")).toEqual({ kind: "in-doubt" });
    },
  );

  it.each(UNKNOWN_OUTCOMES)("is done after %s if the customer has gone", async (_name, answer) => {
    stripe.answers = { [DELETE]: answer, [GET]: [THERE, DELETED] };
    expect(await deleteCustomer("cus_1")).toEqual({ kind: "deleted" });
  });
});
