// The reference for posts: Node's own http server that reads the same bodies and makes the same writes over postgres.js, in
// as many transactions, and nothing else: no checks, no sessions, no mail templates. Forked with the database's address.
import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import argon2 from "argon2";
import { connect } from "./databases.mjs";

const [, , url = ""] = process.argv;
// as many connections as the site has
const sql = connect(url, 10);

/** What the mail of a newsletter post is, as the site has stored one: taught before the first post. */
let mail = {};

/**
 * Counts for each key in one statement that waits for no disk, as the site does.
 *
 * @param {string[]} keys
 */
const countEach = (keys) => sql`
  insert into rate_limits (key, points, expire)
  select key, 1, now() + interval '1 hour' from unnest(${keys}::text[]) key
  on conflict (key) do update set
    points = case when rate_limits.expire <= now() then 1 else rate_limits.points + 1 end,
    expire = case when rate_limits.expire <= now() then excluded.expire else rate_limits.expire end
  returning points, set_config('synchronous_commit', 'off', true)`;

/** @type {Record<string, (body: any) => Promise<object>>} */
const posts = {
  "/newsletter": async ({ email }) => {
    await countEach([
      "newsletter:network",
      "newsletter:wide-network",
      `newsletter:account-from-network:${email}`,
    ]);
    await sql.begin(async (transaction) => {
      const token = randomBytes(16).toString("base64url");
      const [row] = await transaction`
        insert into subscribers (email, confirmed_at, unsubscribe_token) values (${email}, now(), ${token})
        on conflict do nothing returning id`;
      await transaction`
        insert into mails (kind, priority, idempotency_key, recipient, address_hash, message, expires_at)
        values ('newsletter-welcome', 1, ${`newsletter-welcome:${row?.id}`}, ${email},
          sha256(convert_to(lower(${email}::text), 'UTF8')), ${sql.json(/** @type {import("postgres").JSONValue} */ (mail))}, now() + interval '5 days')
        on conflict do nothing returning id`;
    });
    return { toast: "Subscribed." };
  },
  "/auth/login": async ({ email, password }) => {
    await countEach([
      "login:network",
      "login:wide-network",
      `login:account-from-network:${email}`,
      `login:account-from-wide-network:${email}`,
      `login:account:${email}`,
    ]);
    const [user] = await sql`select id, password_hash from users where lower(email) = ${email}`;
    const isRight = await argon2.verify(user?.password_hash, password);
    // waits for no disk either, as the site's does not
    await sql`
      insert into sessions (token_hash, user_id, expires_at, verified_by)
      values (${randomBytes(32).toString("hex")}, ${user?.id}, now() + interval '30 days', 'password')
      returning token_hash, set_config('synchronous_commit', 'off', true)`;
    return { isRight };
  },
  "/premium/notes/save": async ({ owner, slug, text }) => {
    await countEach(["notes:network", "notes:wide-network", `notes:account:${owner}`]);
    const version = await sql.begin(async (transaction) => {
      const [known] = await transaction`
        select version from notes where user_id = ${owner} and slug = ${slug} for update`;
      const [row] = known
        ? await transaction`
            update notes set text = ${text}, version = version + 1, updated_at = now()
            where user_id = ${owner} and slug = ${slug} returning version`
        : await transaction`
            insert into notes (user_id, slug, title, text) values (${owner}, ${slug}, ${slug}, ${text})
            on conflict do nothing returning version`;
      return row?.version;
    });
    return { version };
  },
  "/webhooks/stripe": async ({ id, type, api_version, created, data }) => {
    await sql`
      insert into webhook_events (id, type, api_version, stripe_customer_id, occurred_at)
      values (${id}, ${type}, ${api_version}, ${data.object.customer}, to_timestamp(${created}))
      on conflict do nothing returning id`;
    return { received: true };
  },
};

const server = createServer(async (request, response) => {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += chunk;
  try {
    const answer = JSON.stringify(await posts[request.url ?? ""]?.(JSON.parse(text)));
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(answer)),
      "X-Request-Id": randomUUID(),
    });
    response.end(answer);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

process.on("message", (message) => {
  mail = /** @type {{ mail: object }} */ (message).mail;
  process.send?.({ known: "mail" });
});
process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await sql.end();
  process.exit();
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address ? address.port : 0 });
});
