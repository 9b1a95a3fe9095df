import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { publishSampleIssues } from "./sample-issues.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {{ origin: string, sandboxOrigin: string, dataDir: string, databaseUrl?: string }} Site a running program
 *   with the local Stripe, `NEWSLETTER_DOUBLE_OPT_IN=true` and `AUTHOR_EMAIL=author@example.test`
 * @typedef {import("playwright").BrowserContextOptions["storageState"]} Cookies
 * @typedef {Awaited<ReturnType<typeof prepareVisitors>>} Visitors
 */

/**
 * Creates the cookies of every kind of visitor that the site looks different to: anonymous, with an account, a member
 * in each state, a former member, a buyer with a pending payment, and an author. Also creates mails with links, and two issues of
 * the newsletter.
 *
 * @param {import("playwright").Browser} browser
 * @param {Site} site
 */
export async function prepareVisitors(browser, site) {
  const api = await browser.newContext({
    baseURL: site.origin,
    extraHTTPHeaders: { Origin: site.origin },
  });
  const post = async (/** @type {string} */ path, /** @type {Record<string, string>} */ form) => {
    const answer = await api.request.post(path, { form, maxRedirects: 0 });
    if (answer.status() !== 303) throw new Error(`POST ${path}: ${answer.status()}`);
    return answer;
  };
  const signUp = async (/** @type {string} */ name) => {
    await api.clearCookies();
    await post("/auth/signup", { email: `${name}@example.test`, password: "a long walk" });
  };
  const takeCookies = async () => {
    // loading a page consumes the toasts
    await api.request.get("/");
    return api.storageState();
  };
  const buy = async (/** @type {string} */ card) => {
    const page = await (await api.request.get("/")).text();
    const priceId = /name="priceId" value="(\w+)"/.exec(page)?.[1] ?? "";
    const answer = await post("/checkout", { priceId });
    const id = /cs_\w+/.exec(answer.headers().location ?? "")?.[0];
    /** @type {{ session: { subscription: string } }} */
    const { session } = await control(site, `sessions/${id}/pay`, { card });
    await control(site, "webhooks/settle");
    return { session: id, subscription: session.subscription };
  };
  const bought = async (/** @type {string} */ name, /** @type {string} */ card) => {
    await signUp(name);
    const purchase = await buy(card);
    return { cookies: await takeCookies(), ...purchase };
  };

  const anonymous = { cookies: await api.storageState() };
  await signUp("clara");
  const reader = { cookies: await takeCookies() };
  const member = await bought("ines", "4242424242424242");
  const place = { slug: "the-weight-you-carry", action: "position", block: 9 };
  const stored = await api.request.post("/premium/progress", { data: place });
  if (!stored.ok()) throw new Error(`POST /premium/progress: ${stored.status()}`);
  const pastDue = await bought("jonas", "4000000000000341");
  await control(site, `subscriptions/${pastDue.subscription}/renew`, { outcome: "declined" });
  const leaving = await bought("mara", "4242424242424242");
  await control(site, `subscriptions/${leaving.subscription}/cancel-at-period-end`);
  const leavingLater = await bought("olaf", "4242424242424242");
  await stripe(site, `subscriptions/${leavingLater.subscription}`, {
    cancel_at: String(Math.floor(Date.now() / 1000) + 100 * 86_400),
  });
  const former = await bought("paula", "4242424242424242");
  await control(site, `subscriptions/${former.subscription}/cancel`);
  const unpaid = await bought("quentin", "4000000000000341");
  await control(site, `subscriptions/${unpaid.subscription}/renew`, { outcome: "declined" });
  await control(site, `subscriptions/${unpaid.subscription}/give-up`, { afterRetries: "unpaid" });
  const paused = await bought("rosa", "4242424242424242");
  await control(site, `subscriptions/${paused.subscription}/pause`);
  const refunded = await bought("simon", "4242424242424242");
  await control(site, `subscriptions/${refunded.subscription}/refund`);
  const disputed = await bought("tilda", "4242424242424242");
  await control(site, `subscriptions/${disputed.subscription}/dispute`);
  const waiting = await bought("theo", "bank_account");
  await control(site, "webhooks/settle");

  await signUp("author");
  const address = await linkInMail(site, "/auth/confirm-email", "author@example.test");
  const [path = "", token = ""] = address.split("?token=");
  await post(path, { token });
  const desk = await prepareDesk(api);
  const author = { cookies: await takeCookies() };

  await api.clearCookies();
  await post("/auth/forgot-password", { email: "clara@example.test" });
  await post("/newsletter", { email: "nora@example.test" });
  const links = {
    resetPassword: await linkInMail(site, "/auth/reset-password"),
    confirm: await linkInMail(site, "/newsletter/confirm"),
    unsubscribe: await linkInMail(site, "/newsletter/unsubscribe"),
    ...desk,
  };
  await api.close();
  await publishSampleIssues(site);
  return {
    anonymous,
    reader,
    member,
    pastDue,
    leaving,
    leavingLater,
    former,
    unpaid,
    paused,
    refunded,
    disputed,
    waiting,
    author,
    links,
  };
}

/**
 * Lets the author who is signed in begin letters, the book and an import, with mistakes among them. Returns where their pages are.
 *
 * @param {import("playwright").BrowserContext} author
 */
async function prepareDesk({ request }) {
  const post = async (/** @type {string} */ path, /** @type {Record<string, any>} */ multipart) => {
    const answer = await request.post(path, { multipart, maxRedirects: 0 });
    const { location } = answer.headers();
    if (!location) throw new Error(`POST ${path}: ${answer.status()}`);
    return location;
  };
  const writeLetter = async (/** @type {Record<string, any>} */ fields) => {
    const letter = await post("/desk/letters?index", { intent: "new" });
    await post(letter, { version: "1", intent: "save", ...fields });
    return letter;
  };
  const letter = await writeLetter({
    subject: "The bench on the hill",
    slug: "the-bench",
    preview: "Where the second half begins.",
    body: "Dear walker,\n\nhalfway up the hill there is **a bench**.\n\n![The path](path.png)",
    intent: "picture",
    picture: upload("path.png", "image/png", readFileSync(join(root, "public/share.png"))),
  });
  const letterWithMistakes = await writeLetter({
    subject: "",
    body: "![No such picture](fog.jpg)\n\n<b>Fog</b>",
  });
  await post("/desk/book?index", { intent: "sample" });
  const chapter = "/desk/book/text?file=chapters%2F02-the-weight-you-carry.md";
  await post("/desk/site?index", { intent: "begin", kind: "site" });
  const newText = await post("/desk/book?index", { intent: "begin", title: "Fog", kind: "" });
  const rows =
    "Email,First name\nfrida@example.test,Frida\nnobody,Nobody\nines@example.test,Ines\n";
  const list = await post("/desk/people/import?index", {
    list: upload("list.csv", "text/csv", Buffer.from(rows)),
  });
  const people = await (await request.get("/desk/people?match=ines")).text();
  const person = /\/desk\/people\/[0-9a-f-]{36}/.exec(people)?.[0] ?? "";
  return { letter, letterWithMistakes, chapter, newText, list, person };
}

const upload = (
  /** @type {string} */ name,
  /** @type {string} */ mimeType,
  /** @type {Buffer} */ buffer,
) => ({ name, mimeType, buffer });

/**
 * Calls the local Stripe's control API (app/sandbox/stripe/control/api.ts).
 *
 * @param {Site} site
 * @param {string} path
 * @param {Record<string, unknown>} [fields]
 */
export async function control({ sandboxOrigin }, path, fields = {}) {
  const answer = await fetch(`${sandboxOrigin}/_control/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * Calls the local Stripe's API, as the author's own program would.
 *
 * @param {Site} site
 * @param {string} path
 * @param {Record<string, string>} fields
 */
async function stripe({ sandboxOrigin }, path, fields) {
  const answer = await fetch(`${sandboxOrigin}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: "Bearer sk_test_goldenPathSandbox" },
    body: new URLSearchParams(fields),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}

/**
 * Waits for a mail in the outbox with a link to this path; returns its path and query.
 *
 * @param {Site} site
 * @param {string} path
 * @param {string} [to] the address that it was mailed to
 */
async function linkInMail({ dataDir }, path, to = "") {
  const outbox = join(dataDir, "outbox");
  for (let tries = 0; tries < 100; tries++) {
    const names = readdirSync(dataDir).includes("outbox") ? readdirSync(outbox) : [];
    // a mail that is being written has another file name extension until it is complete
    for (const name of names.filter((name) => name.endsWith(".eml"))) {
      const mail = readFileSync(join(outbox, name), "latin1")
        // undoes quoted-printable and folded header lines
        .replace(/=\r\n|\r\n(?=[ \t])/g, "")
        .replaceAll("=3D", "=");
      const at = mail.indexOf(`${path}?`);
      if (at >= 0 && mail.includes(to)) return /^[^\s<>"]+/.exec(mail.slice(at))?.[0] ?? path;
    }
    await pause(100);
  }
  throw new Error(`No mail with a link to ${path} arrived.`);
}
