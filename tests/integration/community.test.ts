import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import {
  endCommunityAccess,
  forgetInCommunity,
  logOutOfCommunity,
} from "~/features/community/discourse-api.server";
import { connectAnswer, readConnectRequest } from "~/features/community/discourse-connect.server";
import { getDatabase } from "~db/client";
import { openTestSite, type TestSite } from "../support/site";

const SECRET = "a secret between the two sites";
const API_KEY = "0123456789abcdef0123456789abcdef";

type Call = { method: string; path: string; key: string; body: URLSearchParams };

let site: TestSite;
let discourse: Server;
let origin: string;
let calls: Call[] = [];
/** Discourse's accounts, by their id here. */
let accounts: Map<string, number>;

beforeAll(async () => {
  site = await openTestSite();
  discourse = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = request.url ?? "";
    calls.push({
      method: request.method ?? "",
      path,
      key: String(request.headers["api-key"]),
      body: new URLSearchParams(body),
    });
    const [, externalId] = /^\/users\/by-external\/(.*)\.json$/.exec(path) ?? [];
    const id = externalId === undefined ? 0 : accounts.get(externalId);
    response.writeHead(id === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(id === undefined ? { errors: ["not found"] } : { user: { id } }));
  });
  await new Promise<void>((ready) => discourse.listen(0, "127.0.0.1", ready));
  origin = `http://127.0.0.1:${(discourse.address() as AddressInfo).port}`;
});

beforeEach(() => {
  calls = [];
  accounts = new Map();
  connectTo({});
});

afterEach(() => site.restoreEnvironment());

afterAll(async () => {
  discourse.close();
  await site.close();
});

function connectTo(changes: Record<string, string | undefined>): void {
  setEnvironment({
    COMMUNITY_URL: origin,
    DISCOURSE_CONNECT_SECRET: SECRET,
    DISCOURSE_API_KEY: API_KEY,
    LOG_LEVEL: "silent",
    ...changes,
  });
}

const sign = (sso: string, secret = SECRET) =>
  createHmac("sha256", secret).update(sso).digest("hex");

function requestFor(fields: Record<string, string>): { sso: string; sig: string } {
  const sso = Buffer.from(new URLSearchParams(fields).toString()).toString("base64");
  return { sso, sig: sign(sso) };
}

const genuine = () =>
  requestFor({
    nonce: "cb68251eefb5211e58c00ff1395f0c0b",
    return_sso_url: `${origin}/session/sso_login`,
  });

describe("a request from Discourse", () => {
  it("gets the member's identity, signed, with the request's nonce", () => {
    const { sso, sig } = genuine();
    const request = readConnectRequest(sso, sig);
    expect(request).not.toBeNull();
    if (!request) return;
    const answer = new URL(connectAnswer(request, { id: "7f0c", email: "walker@example.test" }));
    expect(answer.origin + answer.pathname).toBe(`${origin}/session/sso_login`);
    const payload = answer.searchParams.get("sso") ?? "";
    expect(answer.searchParams.get("sig")).toBe(sign(payload));
    const said = new URLSearchParams(Buffer.from(payload, "base64").toString());
    expect(Object.fromEntries(said)).toEqual({
      external_id: "7f0c",
      email: "walker@example.test",
      username: expect.stringMatching(/^reader_[0-9a-f]{8}$/),
      nonce: "cb68251eefb5211e58c00ff1395f0c0b",
      add_groups: "members",
      require_activation: "true",
    });
  });

  it.each<[string, () => { sso: string | null; sig: string | null }]>([
    ["without parameters", () => ({ sso: null, sig: null })],
    ["without a signature", () => ({ ...genuine(), sig: "" })],
    [
      "with a signature by another secret",
      () => ({ ...genuine(), sig: sign(genuine().sso, "other") }),
    ],
    [
      "with a signature of another request",
      () => ({ ...genuine(), sso: requestFor({ nonce: "1", return_sso_url: `${origin}/x` }).sso }),
    ],
    [
      "that wants the answer at a look-alike",
      () => requestFor({ nonce: "1", return_sso_url: `${origin}.evil.test/` }),
    ],
    ["without a nonce", () => requestFor({ return_sso_url: `${origin}/session/sso_login` })],
    [
      "with a script in place of an address",
      () => requestFor({ nonce: "1", return_sso_url: "javascript:alert(1)" }),
    ],
    ["of 64 KB", () => requestFor({ nonce: "1".repeat(65_536), return_sso_url: `${origin}/x` })],
  ])("%s is refused", (_, make) => {
    const { sso, sig } = make();
    expect(readConnectRequest(sso, sig)).toBeNull();
  });
});

describe("a log-out here", () => {
  it("logs out there", async () => {
    accounts.set("7f0c", 42);
    await logOutOfCommunity("7f0c");
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /users/by-external/7f0c.json",
      "POST /admin/users/42/log_out.json",
    ]);
    expect(calls[0]?.key).toBe(API_KEY);
  });

  it("anonymizes deleted accounts, and logs what to do if that fails", async () => {
    accounts.set("7f0c", 42);
    await forgetInCommunity("7f0c");
    await forgetInCommunity("never there");
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /users/by-external/7f0c.json",
      "PUT /admin/users/42/anonymize.json",
      "GET /users/by-external/never%20there.json",
    ]);
    connectTo({ COMMUNITY_URL: "http://127.0.0.1:1" });
    await expect(forgetInCommunity("7f0c")).resolves.toBeUndefined();
  });
});

describe("the end of a membership", () => {
  it("removes its member from the group and logs them out, and nobody else", async () => {
    const rows = await getDatabase().db.execute<{ id: string; email: string }>(sql`
      with new_users as (
        insert into users (email, password_hash)
        select name || '@example.test', 'x' from unnest(array['ended', 'long-ended', 'member']) name
        returning id, email
      ), new_profiles as (
        insert into profiles (id, stripe_customer_id, stripe_subscription_id, stripe_price_id, stripe_current_period_end, updated_at)
        select id, 'cus_' || email, 'sub_' || email, 'price_1',
          now() + case email when 'ended@example.test' then interval '-1 hour' when 'member@example.test' then interval '1 day' else interval '-9 days' end,
          now() - interval '8 days'
        from new_users
      )
      select id, email from new_users order by email`);
    for (const [index, { id }] of rows.entries()) accounts.set(id, index + 1);
    // while the site stops
    await endCommunityAccess(new Date(), AbortSignal.abort());
    expect(calls).toEqual([]);
    await endCommunityAccess();
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /users/by-external/${rows[0]?.id}.json`,
      "POST /admin/users/sync_sso",
      `GET /users/by-external/${rows[0]?.id}.json`,
      "POST /admin/users/1/log_out.json",
    ]);
    const said = calls[1]?.body.get("sso") ?? "";
    expect(calls[1]?.body.get("sig")).toBe(sign(said));
    const payload = new URLSearchParams(Buffer.from(said, "base64").toString());
    expect(payload.get("remove_groups")).toBe("members");
    expect(payload.has("add_groups")).toBe(false);
  });
});
