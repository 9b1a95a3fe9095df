import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { renewSession, setSession } from "~/features/accounts/sessions.server";
import { isRecentlyVerified } from "~/features/accounts/verify-identity.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { getDatabase } from "~db/client";
import { beginAccountDeletion, findUnfinishedDeletions } from "~db/queries/account-deletions";
import { insertCampaign } from "~db/queries/campaigns";
import { findCampaignsToSend, makePutOffMailsDue } from "~db/queries/mail-claims";
import { takeMailTokens } from "~db/queries/mail-token-buckets";
import { hasMailWorker, recordHeartbeat, takeOverMails } from "~db/queries/mail-workers";
import { insertAlert, lockAlertsToReport } from "~db/queries/operator-alerts";
import { replacePasswordReset } from "~db/queries/password-resets";
import { countAttempts } from "~db/queries/rate-limits";
import { insertUnconfirmedSubscriber } from "~db/queries/subscribers";
import { claimEmailConfirmation, claimSignUpNotice } from "~db/queries/users";
import { campaigns, mails, mailWorkers, operatorAlerts, rateLimits } from "~db/schema";
import { accountOf, newAccount, newAddress } from "../support/accounts";
import { ORIGIN } from "../support/routes";
import { testSite } from "../support/site";

testSite();

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AHEAD = 40;
const db = () => getDatabase().db;

/** Makes everything that is stored appear to have been written while the clock ran ahead. */
async function putClockBack(days = DAYS_AHEAD): Promise<void> {
  const columns = await db().execute<{ table: string; column: string }>(sql`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and data_type = 'timestamp with time zone'`);
  for (const { table, column } of columns) {
    await db().execute(
      sql`update ${sql.identifier(table)} set ${sql.identifier(column)} = ${sql.identifier(column)} + ${days} * interval '1 day'`,
    );
  }
}

beforeEach(async () => {
  await db().execute(
    sql`truncate ${mails}, ${mailWorkers}, ${campaigns}, ${operatorAlerts}, ${rateLimits} cascade`,
  );
});

const now = () => new Date();
const ago = (ms: number) => new Date(Date.now() - ms);

/** What may be done once in a while: `attempt` resolves to whether it was allowed. */
type Limited = { attempt: () => Promise<unknown> };

const LIMITED: [what: string, begin: () => Promise<Limited> | Limited][] = [
  [
    "mails a link to choose a new password",
    async () => {
      const { userId } = await newAccount();
      const limit = () => ({ askAgainAfter: ago(60_000), countSince: ago(3_600_000), most: 1 });
      const reset = () => ({
        userId,
        createdAt: now(),
        expiresAt: new Date(Date.now() + 3_600_000),
      });
      return {
        attempt: () => replacePasswordReset({ ...reset(), tokenHash: randomUUID() }, limit()),
      };
    },
  ],
  [
    "notifies the owner of a sign-up attempt",
    async () => {
      const { email } = await newAccount();
      return { attempt: () => claimSignUpNotice(email, { now: now(), notSince: ago(DAY_MS) }) };
    },
  ],
  [
    "mails a link to confirm an account's address",
    async () => {
      const { userId } = await newAccount();
      const claim = () => claimEmailConfirmation(userId, { now: now(), notSince: ago(60_000) });
      return { attempt: claim };
    },
  ],
  [
    "mails a link to confirm a subscription",
    () => {
      const subscriber = { email: newAddress(), unsubscribeToken: randomUUID() };
      const times = () => ({ now: now(), askAgainAfter: ago(60_000) });
      return { attempt: () => insertUnconfirmedSubscriber(subscriber, times(), db()) };
    },
  ],
  [
    "allows an attempt under a rate limit",
    () => {
      const attempts = [{ key: randomUUID(), points: 1, seconds: 60 }];
      return { attempt: async () => (await countAttempts(attempts))[0]?.points === 1 };
    },
  ],
  [
    "has tokens for mail",
    () => {
      const key = randomUUID();
      // at this rate the next token is days away
      return { attempt: () => takeMailTokens(key, 0.000_001, 1, db()) };
    },
  ],
];

describe("after a clock that ran ahead was put right, the site", () => {
  it.each(LIMITED)("%s as if it had not done so before", async (what, begin) => {
    const { attempt } = await begin();
    await attempt();
    expect(await attempt(), "within the limit's time").toBeFalsy();
    await putClockBack();
    // what was spent stays spent; what is gained from now on counts
    if (what === "has tokens for mail") {
      await db().execute(sql`update mail_token_buckets set tokens = 1`);
    }
    expect(await attempt(), "after the clock was put right").toBeTruthy();
    expect(await attempt(), "a second time").toBeFalsy();
  });

  it("takes over the mails of a worker that died, and no longer counts it as running", async () => {
    const worker = { id: randomUUID(), circuitOpenForMs: null, circuitReason: null };
    await recordHeartbeat(worker, db());
    await queueMail();
    await db().execute(sql`update mails set state = 'sending', worker_id = ${worker.id}`);
    expect([await takeOverMails(db()), await hasMailWorker()]).toEqual([0, true]);
    await putClockBack();
    expect([await takeOverMails(db()), await hasMailWorker()]).toEqual([1, false]);
  });

  it("sends what was queued meanwhile, but not an issue before its time", async () => {
    await queueMail();
    await createIssue("sent-at-once", 0);
    await createIssue("scheduled", 3 * DAY_MS);
    await putClockBack();
    await makePutOffMailsDue(db());
    const [{ due } = { due: 0 }] = await db().execute<{ due: number }>(
      sql`select count(*)::int as due from mails where due_at <= now()`,
    );
    expect(due).toBe(1);
    const begun = await db().execute(sql`select slug from campaigns where start_at <= now()`);
    expect([...begun]).toEqual([{ slug: "sent-at-once" }]);
    expect(await findCampaignsToSend(db())).toEqual([]);
  });

  it("reports alerts that were opened meanwhile, and those that were reported meanwhile", async () => {
    const alert = { kind: "stripe-refuses", facts: {}, reportAfterMs: 0 };
    await insertAlert({ ...alert, key: "open", openedAt: now() });
    await insertAlert({ ...alert, key: "over", openedAt: now() });
    await db()
      .update(operatorAlerts)
      .set({ reportedAt: now(), resolvedAt: now() })
      .where(eq(operatorAlerts.key, "over"));
    await putClockBack();
    await insertAlert({ ...alert, key: "over", openedAt: now() });
    const due = await db().transaction((tx) => lockAlertsToReport(now(), tx));
    expect(due.map(({ key }) => key).sort()).toEqual(["open", "over"]);
  });

  it("resumes the deletion of an account", async () => {
    const { userId } = await newAccount();
    await beginAccountDeletion(userId);
    const begun = async () =>
      (await findUnfinishedDeletions(ago(60_000), 100)).some((each) => each.userId === userId);
    expect(await begun()).toBe(false);
    await putClockBack();
    expect(await begun()).toBe(true);
  });

  it("asks for the password again, and lets no session last longer than it does", async () => {
    const { email, token, session, tokenHash } = await newAccount();
    expect(isRecentlyVerified(session)).toBe(true);
    await putClockBack();
    const { session: later } = await accountOf(token, email);
    expect(isRecentlyVerified(later)).toBe(false);

    const Cookie = (await setSession(token)).split(";")[0] ?? "";
    const renewed = await renewSession(new Request(ORIGIN, { headers: { Cookie } }), {
      ...later,
      tokenHash,
    });
    expect(renewed).toContain(`Max-Age=${30 * 24 * 60 * 60}`);
    const { session: now } = await accountOf(token, email);
    expect(now.expiresAt.getTime()).toBeLessThan(Date.now() + 31 * DAY_MS);
  });
});

const queueMail = () =>
  enqueueMail({
    kind: "sign-up-attempt",
    to: newAddress(),
    message: { subject: "Hello", html: "<p>Hello</p>", text: "Hello" },
  });

const createIssue = (slug: string, inMs: number) =>
  db().transaction((tx) =>
    insertCampaign(
      {
        slug,
        audience: "subscribers",
        subject: slug,
        previewText: slug,
        markdown: slug,
        startAt: new Date(Date.now() + inMs),
      },
      tx,
    ),
  );
