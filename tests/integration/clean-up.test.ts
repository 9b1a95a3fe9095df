import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { cleanUp } from "~/server/clean-up.server";
import { getDatabase } from "~db/client";
import { insertNewsletterImages } from "~db/queries/newsletter-images";
import { findLastWebhookEvents } from "~db/queries/webhook-events";
import { eventually } from "../support/eventually";
import { testSite } from "../support/site";

testSite();

beforeEach(() => getDatabase().db.execute(sql`truncate webhook_events`));

/** Inserts events received a number of days ago. */
async function receive(count: number, daysAgo: number): Promise<void> {
  await getDatabase().db.execute(sql`
    insert into webhook_events (id, type, occurred_at, received_at)
    select 'evt_' || ${daysAgo}::int || '_' || n, 'invoice.paid', at, at
    from generate_series(1, ${count}::int) n,
      lateral (select now() - make_interval(days => ${daysAgo}::int) as at)`);
}

const keptEvents = async () => (await findLastWebhookEvents(10_000)).map(({ id }) => id);

it("removes all webhook events after 90 days, and keeps newer ones", async () => {
  await receive(2_500, 91);
  await receive(1, 89);
  await receive(1, 0);
  await cleanUp();
  expect(await keptEvents()).toEqual(["evt_0_1", "evt_89_1"]);
});

it("removes expired sessions, and no valid ones", async () => {
  await getDatabase().db.execute(sql`
    with reader as (
      insert into users (email, password_hash) values ('reader@example.test', 'x') returning id
    )
    insert into sessions (token_hash, user_id, expires_at)
    select name, id, now() + ends_in::interval from reader,
      (values ('ended', '-1 minute'), ('about to end', '1 minute'), ('new', '30 days')) s (name, ends_in)`);
  await cleanUp();
  const left = await getDatabase().db.execute<{ token_hash: string }>(
    sql`select token_hash from sessions order by expires_at`,
  );
  expect(left.map(({ token_hash }) => token_hash)).toEqual(["about to end", "new"]);
});

it("removes alerts 400 days after they were resolved, and starts of the program after 7", async () => {
  await getDatabase().db.execute(sql`
    with starts as (
      insert into program_starts (id, place, started_at)
      select gen_random_uuid(), days::text, now() - make_interval(days => days)
      from (values (8), (6)) s (days)
    )
    insert into operator_matters (kind, key, facts, opened_at, seen_at, report_due_at, cleared_at)
    select 'disk-low', key, '{}', now(), now(), now(), now() - make_interval(days => days)
    from (values ('old', 401), ('remembered', 399), ('open', null)) m (key, days)`);
  await cleanUp();
  const left = await getDatabase().db.execute<{ name: string }>(sql`
    select place as name from program_starts union select key from operator_matters order by name`);
  expect(left.map(({ name }) => name)).toEqual(["6", "open", "remembered"]);
});

it("removes mails 30 days after they finished, but remembers keys that must not be mailed again", async () => {
  await getDatabase().db.execute(sql`
    insert into mails (kind, priority, address_hash, state, idempotency_key, recipient, expires_at, finished_at)
    select name, 1, '', state, key, case when state = 'queued' then 'a@example.test' end, now(),
      case when state = 'sent' then now() - make_interval(days => days) end
    from (values
      ('old', 'sent', null, 31), ('recent', 'sent', null, 29), ('waiting', 'queued', null, 0),
      ('fact', 'sent', 'fact', 399), ('old fact', 'sent', 'old fact', 401)
    ) mails (name, state, key, days)`);
  await cleanUp();
  const left = await getDatabase().db.execute<{ kind: string }>(
    sql`select kind from mails order by kind`,
  );
  expect(left.map(({ kind }) => kind)).toEqual(["fact", "recent", "waiting"]);
});

it("deletes a failed mail's address and content once it cannot be retried", async () => {
  await getDatabase().db.execute(sql`
    insert into mails (kind, priority, address_hash, state, recipient, message, expires_at, finished_at)
    select name, 1, '', 'failed', 'a@example.test', '{}', now() + make_interval(mins => minutes), now()
    from (values ('over', -1), ('retryable', 1)) mails (name, minutes)`);
  await cleanUp();
  const left = await getDatabase().db.execute(sql`
    select kind, recipient, message from mails where kind in ('over', 'retryable') order by kind`);
  expect(left).toEqual([
    { kind: "over", recipient: null, message: null },
    { kind: "retryable", recipient: "a@example.test", message: {} },
  ]);
  await getDatabase().db.execute(sql`delete from mails where kind in ('over', 'retryable')`);
});

it("never forgets newsletter recipients", async () => {
  await getDatabase().db.execute(sql`
    with campaign as (
      insert into campaigns (slug, audience, subject, preview_text, markdown, start_at)
      values ('long-ago', 'subscribers', '', '', '', now()) returning id
    )
    insert into mails (kind, priority, campaign_id, address_hash, state, expires_at, finished_at)
    select 'newsletter', 2, id, 'x', 'sent', now(), now() - interval '1000 days' from campaign`);
  await cleanUp();
  const left = await getDatabase().db.execute(sql`select 1 from mails where kind = 'newsletter'`);
  expect(left).toHaveLength(1);
});

it("removes the images of an issue tried 30 days ago and never sent, and no others", async () => {
  const sent = "s".repeat(22);
  await getDatabase().db.execute(sql`
    insert into newsletter_images (name, media_type, width, height, content, created_at)
    select name, 'image/png', 1, 1, 'x', now() - make_interval(days => days)
    from (values (${`${sent}.png`}, 100), ('tried-and-not-sent-old.png', 31), ('tried-and-not-sent-new.gif', 29)) images (name, days)`);
  await getDatabase().db.execute(sql`
    insert into campaigns (slug, audience, subject, preview_text, markdown, start_at)
    values ('with-images', 'subscribers', '', '', ${`![A gate](/newsletter/images/${sent}.png "Open")`}, now())`);
  await cleanUp();
  const left = await getDatabase().db.execute<{ name: string }>(
    sql`select name from newsletter_images order by name`,
  );
  expect(left.map(({ name }) => name)).toEqual([`${sent}.png`, "tried-and-not-sent-new.gif"]);
});

it("keeps the images of an issue about to be sent, however old its attempt", async () => {
  const image = { name: "tried-long-ago.png", mediaType: "image/png", width: 1, height: 1 };
  await insertNewsletterImages([{ ...image, content: Buffer.from("x") }]);
  await getDatabase().db.execute(sql`
    update newsletter_images set created_at = now() - interval '31 days' where name = ${image.name}`);
  let cleaning: Promise<void> | undefined;
  await getDatabase().db.transaction(async (tx) => {
    await insertNewsletterImages([{ ...image, content: Buffer.from("x") }], tx);
    cleaning = cleanUp();
    await eventually(async () => {
      const waiting = await getDatabase().db.execute(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      expect(waiting.length).toBeGreaterThan(0);
    });
  });
  await cleaning;
  const left = await getDatabase().db.execute(
    sql`select from newsletter_images where name = ${image.name}`,
  );
  expect(left).toHaveLength(1);
});
