import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  enqueueMail,
  enqueueMailToCompose,
  isMailQueueFull,
} from "~/features/mail/enqueue-mail.server";
import { getDatabase } from "~db/client";
import { testSite } from "../support/site";

testSite();

const message = { subject: "Hello", text: "Hello.\n", html: "<p>Hello.</p>" };

beforeEach(() => getDatabase().db.execute(sql`truncate mails`));

const queued = () =>
  getDatabase().db.execute(
    sql`select kind, recipient, message, priority, expires_at - now() as lifetime from mails`,
  );

describe("queuing a mail", () => {
  it("stores the mail only if the transaction commits", async () => {
    const abandoned = getDatabase().db.transaction(async (tx) => {
      await enqueueMail({ kind: "password-changed", to: "a@example.test", message }, tx);
      throw new Error("abandoned");
    });
    await expect(abandoned).rejects.toThrow("abandoned");
    expect(await queued()).toEqual([]);

    await getDatabase().db.transaction((tx) =>
      enqueueMail({ kind: "password-changed", to: "a@example.test", message }, tx),
    );
    expect(await queued()).toMatchObject([
      { kind: "password-changed", recipient: "a@example.test", message, priority: 1 },
    ]);
  });

  it("queues one mail per idempotency key, and any number without one", async () => {
    const mail = { kind: "membership-ended", to: "a@example.test", message } as const;
    const keyed = { ...mail, idempotencyKey: "ended:sub_1" };
    const written = await Promise.all([enqueueMail(keyed), enqueueMail(keyed), enqueueMail(keyed)]);
    expect(written.toSorted()).toEqual([false, false, true]);
    expect(await enqueueMail({ ...mail, idempotencyKey: "ended:sub_2" })).toBe(true);
    expect(await enqueueMail(mail)).toBe(true);
    expect(await enqueueMail(mail)).toBe(true);
    expect(await queued()).toHaveLength(4);
  });

  it("is refused while 10,000 mails are queued, not counting campaigns", async () => {
    await getDatabase().db.execute(sql`
      with campaign as (
        insert into campaigns (slug, audience, subject, preview_text, markdown, start_at)
        values ('may', 'subscribers', 's', 'p', 'm', now()) returning id
      )
      insert into mails (kind, priority, campaign_id, address_hash, expires_at)
      select 'newsletter', 2, campaign.id, sha256(n::text::bytea), now() + interval '1 day'
      from campaign, generate_series(1, 20000) n`);
    await enqueueMailToCompose({ kind: "password-reset", email: "a@example.test" });
    expect(await isMailQueueFull()).toBe(false);
    await getDatabase().db.execute(sql`
      insert into mails (kind, priority, recipient, address_hash, expires_at)
      select 'author-notice', 1, 'b@example.test', '', now() + interval '1 day'
      from generate_series(1, 10000)`);
    expect(await isMailQueueFull()).toBe(true);
  });
});
