import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openConnection, send } from "../../support/http-client";
import { METRICS_TOKEN, type ProgramSite, startProgramSite } from "../../support/program-site";
import { expectSecurityHeaders } from "../../support/security-headers";

let site: ProgramSite;

beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox" });
});
afterAll(() => site?.close());

// first, because later counts of the empty site would be cached for a minute
it("counts mails, accounts, members and subscribers, at most once a minute", async () => {
  const { db } = site.database;
  await db.execute(sql`
      with people as (
        insert into users (email, password_hash, email_confirmed_at)
        select 'reader-' || i || '@example.test', 'x', case when i <= 4 then now() end
        from generate_series(1, 10) as i returning id, email)
      insert into profiles (id, stripe_price_id, stripe_current_period_end, stripe_subscription_status,
        stripe_cancel_at_period_end, access_withdrawn)
      select id, case when email <> 'reader-10@example.test' then 'price_1' end,
        now() + case when email = 'reader-9@example.test' then interval '-1 day' else interval '1 day' end,
        case when email = 'reader-1@example.test' then 'past_due' else 'active' end,
        email in ('reader-2@example.test', 'reader-3@example.test'),
        case when email = 'reader-8@example.test' then 'dispute' end
      from people`);
  await db.execute(sql`
      insert into subscribers (email, confirmed_at)
      select 'subscriber-' || i || '@example.test', case when i <= 5 then now() end
      from generate_series(1, 7) as i`);
  await db.execute(sql`
      insert into suppressed_addresses (address_hash, reason)
      select sha256(convert_to('subscriber-' || i || '@example.test', 'UTF8')), 'complaint'
      from unnest(array[1, 7]) as i`);
  await db.execute(sql`
      insert into mails (kind, priority, state, recipient, address_hash, due_at, expires_at, finished_at)
      values ('password-changed', 1, 'queued', 'a@example.test', '\\x01', now() + interval '1 hour', now() + interval '1 day', null),
        ('password-changed', 1, 'failed', null, '\\x02', now(), now() + interval '1 day', now()),
        ('password-changed', 1, 'failed', null, '\\x02', now(), now() + interval '1 day', now() - interval '8 days')`);
  const members = (state: string) => site.metric("members_count", { state });
  expect(await members("unpaid")).toBe(1);
  expect(await members("ending")).toBe(2);
  expect(await members("renewing")).toBe(4);
  expect(await members("withdrawn")).toBe(1);
  expect(await site.metric("accounts_count", { state: "confirmed" })).toBe(4);
  expect(await site.metric("accounts_count", { state: "unconfirmed" })).toBe(6);
  expect(await site.metric("subscribers_count", { state: "confirmed" })).toBe(4);
  expect(await site.metric("subscribers_count", { state: "unconfirmed" })).toBe(1);
  expect(await site.metric("subscribers_count", { state: "suppressed" })).toBe(2);
  const lane = "transactional";
  expect(await site.metric("mails_count", { lane, state: "deferred" })).toBe(1);
  expect(await site.metric("mails_count", { lane, state: "failed" })).toBe(1);

  await db.execute(sql`delete from profiles`);
  expect(await members("renewing")).toBe(4);
  const { text } = await send(`${site.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  // the series exists even at zero
  expect(text).toContain('mails_count{lane="campaign",state="due"} 0\n');
});

it("requires the token", async () => {
  const ask = (Authorization?: string) =>
    send(`${site.origin}/metrics`, Authorization ? { headers: { Authorization } } : {});
  for (const wrong of [undefined, "Bearer ", "Bearer wrong", `Basic ${METRICS_TOKEN}`]) {
    const answer = await ask(wrong);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.text).not.toContain("http_request");
  }
  const figures = await ask(`Bearer ${METRICS_TOKEN}`);
  expect(figures.status).toBe(200);
  expect(figures.headers["content-type"]).toContain("text/plain");
  expect(figures.headers["cache-control"]).toBe("no-store");
  expectSecurityHeaders(figures);
});

it("counts requests by route, and all unknown paths as one", async () => {
  for (let i = 0; i < 5; i++) await send(`${site.origin}/made-up-${i}`);
  await send(`${site.origin}/auth/forgot-password`);
  const count = (labels: Record<string, string>) =>
    site.metric("http_request_duration_seconds_count", labels);
  await expect.poll(() => count({ route: "other", status: "404" })).toBe(5);
  await expect.poll(() => count({ route: "/auth", status: "200" })).toBe(1);
  const { text } = await send(`${site.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(text).not.toContain("made-up");
});

it("counts aborted requests separately", async () => {
  const connection = await openConnection(site.origin);
  connection.write(
    "POST /newsletter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
  );
  await expect.poll(() => site.metric("http_connections")).toBeGreaterThan(1);
  connection.destroy();
  await expect
    .poll(() =>
      site.metric("http_request_duration_seconds_count", { route: "/newsletter", status: "499" }),
    )
    .toBe(1);
});

it("counts queries, connections, webhooks, syncs and queued password hashes", async () => {
  const visitor = site.visitor();
  await visitor.signUp("figures@example.test");
  await send(`${site.origin}/webhooks/stripe`, { method: "POST", body: "{}" });
  await visitor.get("/checkout/success");
  expect(
    await site.metric("database_query_duration_seconds_count", { outcome: "done" }),
  ).toBeGreaterThan(3);
  expect(await site.metric("database_connections", { state: "open" })).toBeGreaterThan(0);
  expect(await site.metric("stripe_webhooks_total", { outcome: "refused" })).toBe(1);
  expect(await site.metric("password_hash_queue_length")).toBe(0);
  expect(await site.metric("process_resident_memory_bytes")).toBeGreaterThan(0);
  const { text } = await send(`${site.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(await site.metric("stripe_call_queue_length")).toBe(0);
  for (const name of ["billing_syncs_total", "stripe_calls_total", "rate_limited_total"]) {
    expect(text).toContain(`# TYPE ${name}`);
  }
});

it("are all explained in docs/operating.md", async () => {
  const { text } = await send(`${site.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
  // prom-client's own
  const ours = names.filter((name) => !/^(process|nodejs)_/.test(name));
  expect(ours.length).toBeGreaterThan(20);
  const explained = readFileSync(
    resolve(import.meta.dirname, "../../../docs/operating.md"),
    "utf8",
  );
  expect(ours.filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
});
