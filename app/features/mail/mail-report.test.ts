import { expect, it } from "vitest";
import { describeMailQueue } from "./mail-report";

const failure = (changes: object) => ({
  kind: "membership-begun",
  reply: "554 5.7.1 DATA",
  count: 3,
  retryable: 3,
  ...changes,
});

it("says what waits, what failed and why, and what can be sent again", () => {
  const lines = describeMailQueue({
    queue: { transactional: 2, campaign: 1_200, longestWaitS: 200 },
    waiting: [{ kind: "password-reset", count: 2 }],
    failed: [
      failure({}),
      failure({ kind: "account-welcome", reply: null, count: 2, retryable: 1 }),
      failure({ kind: "password-reset", reply: "550 RCPT TO", count: 1, retryable: 0 }),
    ],
    days: 7,
  });
  expect(lines).toEqual([
    "To be sent  2, due for up to 3 min",
    "            2 password-reset",
    "Newsletter  1200",
    "Failed      6 in 7 days",
    "            3 membership-begun with 554 5.7.1 DATA: can be sent again",
    "            2 account-welcome with no answer: 1 can be sent again",
    "            1 password-reset with 550 RCPT TO: over",
    "'mail retry' sends again what can be.",
  ]);
});

it("says so in three lines when nothing is wrong", () => {
  const queue = { transactional: 0, campaign: 0, longestWaitS: 0 };
  expect(describeMailQueue({ queue, waiting: [], failed: [], days: 7 })).toEqual([
    "To be sent  0",
    "Newsletter  0",
    "Failed      0 in 7 days",
  ]);
});
