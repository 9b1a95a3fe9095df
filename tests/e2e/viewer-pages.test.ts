import { createHash, randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { createCookie } from "@remix-run/node";
import { eq } from "drizzle-orm";
import pMap from "p-map";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { utcDate } from "~/ui/utc-date";
import { notes, profiles, sessions, users } from "~db/schema";
import { eventually } from "../support/eventually";
import { type Answer, send } from "../support/http-client";
import { editionFolder, SMALL_EDITION, writeEdition } from "../support/library";
import { type ProgramSite, startProgramSite } from "../support/program-site";

const SECRET = "a secret that signs the cookies of tests only";
const VIEWERS = 2_000;
const CONCURRENT = 40;

/** A signed-in browser, and what its pages may and may not show. */
type SignedIn = {
  id: string;
  sessionId: string;
  since: Date;
  tokenHash: string;
  cookie: string;
  email: string;
  isMember: boolean;
};

/** What addresses are told apart by. */
const TOKEN = /viewer-\d+-[0-9a-f]{12}/g;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What contents show beside a text that is read. */
const READ_MARK = /<\/svg>Read<\/span>/;

/** Characters that HTML, scripts and patterns of replacements take for their own. */
const SPELLINGS = [
  "",
  "&amp;",
  "<b>",
  "\"'",
  "\u2028",
  "🌄",
  "</script>",
  "$&$1",
  "\\u003c\\",
  "\ue000",
];

const folder = editionFolder(SMALL_EDITION);
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });
let site: ProgramSite;
let viewers: SignedIn[];

beforeAll(async () => {
  site = await startProgramSite({
    SESSION_SECRET: SECRET,
    CONTENT_DIR: folder.path,
    RATE_LIMIT_FACTOR: "100000",
  });
  viewers = await signIn(VIEWERS);
  await eventually(async () => {
    expect((await ask("/premium/chapters", member(0))).status).toBe(200);
  });
}, 120_000);
afterAll(async () => {
  agent.destroy();
  await site?.close();
  folder.remove();
});

const member = (index: number) => viewers.filter(({ isMember }) => isMember)[index] as SignedIn;
const nobody = (index: number) => viewers.filter(({ isMember }) => !isMember)[index] as SignedIn;

/** Accounts with sessions, every other one of which belongs to a member. */
async function signIn(count: number): Promise<SignedIn[]> {
  const { db } = site.database;
  const cookie = createCookie("session", { secrets: [SECRET] });
  const made = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const token = randomBytes(32).toString("base64url");
      const setCookie = await cookie.serialize(token);
      const name = `viewer-${index}-${randomBytes(6).toString("hex")}`;
      return {
        email: `${name}${SPELLINGS[index % SPELLINGS.length]}@book.test`,
        tokenHash: createHash("sha256").update(token).digest("hex"),
        cookie: setCookie.split(";")[0] ?? "",
        isMember: index % 2 === 0,
      };
    }),
  );
  const rows = await db
    .insert(users)
    .values(
      made.map(({ email }, index) => ({
        email,
        passwordHash: "",
        avatarUrl: index % 3 === 0 ? pictureOf(email) : null,
      })),
    )
    .returning({ id: users.id, email: users.email });
  const idOf = new Map(rows.map(({ id, email }) => [email, id]));
  const year = new Date(Date.now() + 365 * 86_400_000);
  const sessionRows = await db
    .insert(sessions)
    .values(
      // one that was extended today sets no cookie
      made.map(({ email, tokenHash }, index) => ({
        userId: idOf.get(email) ?? "",
        tokenHash,
        createdAt: new Date(Date.now() - index * 86_400_000),
        expiresAt: new Date(Date.now() + 30 * 86_400_000),
      })),
    )
    .returning({ id: sessions.id, tokenHash: sessions.tokenHash, since: sessions.createdAt });
  const sessionOf = new Map(sessionRows.map((row) => [row.tokenHash, row]));
  const signedIn = made.map((one) => ({
    ...one,
    id: idOf.get(one.email) ?? "",
    sessionId: sessionOf.get(one.tokenHash)?.id ?? "",
    since: sessionOf.get(one.tokenHash)?.since ?? new Date(0),
  }));
  await db.insert(profiles).values(
    signedIn
      .filter(({ isMember }) => isMember)
      .map(({ id }, index) => ({
        id,
        stripePriceId: "price_test",
        stripeCurrentPeriodEnd: new Date(year.getTime() + index),
      })),
  );
  await db
    .insert(notes)
    .values(
      signedIn
        .filter(({ isMember }) => isMember)
        .map(({ id }) => ({ userId: id, slug: "gates", title: "Gates", text: noteOf(id) })),
    );
  return signedIn;
}

/** What a member has noted, which nobody else may see. */
const noteOf = (id: string) => `What ${id} has noted.`;

const pictureOf = (email: string) => `/avatars/${email}.webp`;

function ask(path: string, { cookie }: SignedIn): Promise<Answer> {
  return send(site.origin + path, { cookie, agent });
}

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#x27;");

/** Whose addresses an answer holds. */
function tokensIn({ text }: Answer): string[] {
  return [...new Set(text.match(TOKEN))];
}

const tokenOf = ({ email }: SignedIn) => email.match(TOKEN)?.[0] ?? "";

function expectOwnPage(answer: Answer, viewer: SignedIn): void {
  expect(answer.status).toBe(200);
  expect(answer.headers["cache-control"]).toBe("private, no-store");
  expect(answer.headers["set-cookie"]).toBeUndefined();
  expect(tokensIn(answer)).toEqual([tokenOf(viewer)]);
  expect(answer.text).toContain(`<span class="menu-email">${escaped(viewer.email)}</span>`);
  expect(answer.text).toContain(viewer.id);
  const isAccount = answer.text.includes(">My Account</h1>");
  expect(new Set(answer.text.match(UUID))).toEqual(
    new Set([viewer.id, ...(isAccount ? [viewer.sessionId] : [])]),
  );
  if (isAccount) {
    const since = `<time dateTime="${viewer.since.toISOString()}">${utcDate(viewer.since)}</time>`;
    expect(answer.text).toContain(`First seen ${since}`);
  }
  if (answer.text.includes(">Gates</h1>")) expect(answer.text).toContain(noteOf(viewer.id));
  // nothing ends the script that holds the page's data
  expect(answer.text.match(/<script/g)?.length).toBe(answer.text.match(/<\/script>/g)?.length);
}

const statistic = () => site.metric("viewer_pages_total", { event: "filled" });

/** An answer without what differs each time. */
function withoutNonce({ headers, text }: Answer): string {
  const nonce = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"]))?.[1] ?? "";
  expect(text).toContain(`nonce="${nonce}"`);
  return text.replaceAll(nonce, "nonce");
}

describe("the page of a signed-in viewer", () => {
  it.each([
    "/",
    "/premium",
    "/premium/chapters",
    "/premium/chapters/hills",
    "/premium/extras/one-drawer",
    "/account",
  ])("is the same filled in as rendered: %s", async (path) => {
    const [first, second] = [member(0), member(1)];
    await site.database.db
      .update(profiles)
      .set({ stripeSubscriptionStatus: "active" })
      .where(eq(profiles.id, first.id));
    const rendered = await ask(path, first);
    const before = await statistic();
    await ask(path, second);
    const filled = await ask(path, first);
    expect(await statistic()).toBeGreaterThan(before);
    expect(withoutNonce(filled)).toBe(withoutNonce(rendered));
    const {
      date,
      "x-request-id": id,
      "content-security-policy": policy,
      ...headers
    } = rendered.headers;
    for (const name of ["transfer-encoding", "content-length"]) delete headers[name];
    expect(filled.headers).toMatchObject(headers);
  });

  it("shows what its viewer has read at once, and nobody else", async () => {
    const [reader, other] = [member(2), member(3)];
    for (let count = 0; count < 3; count++) {
      for (const viewer of [reader, other]) {
        expectOwnPage(await ask("/premium/chapters", viewer), viewer);
      }
    }
    const before = await statistic();
    const marked = await send(`${site.origin}/premium/progress`, {
      json: { action: "read", slug: "gates" },
      cookie: reader.cookie,
      headers: { Origin: site.origin },
    });
    expect(marked.status).toBe(200);
    for (let count = 0; count < 3; count++) {
      const [own, others] = [
        await ask("/premium/chapters", reader),
        await ask("/premium/chapters", other),
      ];
      expectOwnPage(own, reader);
      expectOwnPage(others, other);
      expect([own, others].map(({ text }) => READ_MARK.test(text))).toEqual([true, false]);
    }
    // the other's each time, and the reader's once it had been asked for twice
    expect((await statistic()) - before).toBeGreaterThanOrEqual(4);
  });

  it.each([
    "/",
    "/premium",
    "/premium.data",
    "/premium/chapters",
    "/premium/chapters/gates",
    "/premium/chapters/gates.data",
    "/premium/extras/one-drawer",
    "/account",
  ])("takes one statement: %s", async (path) => {
    const askFor = async (times: number) => {
      for (let count = 0; count < times; count++) {
        expect((await ask(path, member(4))).status).toBe(200);
      }
    };
    const statements = () => site.metric("database_query_duration_seconds_count", { pool: "site" });
    // with the texts of the edition in memory
    await askFor(3);
    const before = await statements();
    await askFor(20);
    // now and then, something else is asked for
    expect((await statements()) - before).toBeLessThan(30);
  });

  it("has a nonce of its own each time", async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 20; count++) {
      const { headers, text } = await ask("/", nobody(1));
      const [, nonce = ""] =
        /'nonce-([^']+)'/.exec(String(headers["content-security-policy"])) ?? [];
      expect(new Set(text.match(/nonce="[^"]*"/g))).toEqual(new Set([`nonce="${nonce}"`]));
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(20);
  });

  it("shows a toast once, and then is filled in again", async () => {
    const viewer = nobody(2);
    await ask("/", viewer);
    const posted = await send(`${site.origin}/notice`, {
      form: { notice: "purchase" },
      cookie: viewer.cookie,
      headers: { Origin: site.origin },
    });
    const flash = posted.cookies.find((line) => line.startsWith("flash="))?.split(";")[0];
    const told = await send(`${site.origin}/`, { cookie: `${viewer.cookie}; ${flash}`, agent });
    expect(told.text).toContain("Purchase Feature Coming Soon!");
    expect(told.cookies.join()).toContain("flash=;");
    expectOwnPage(await ask("/", viewer), viewer);
    expect((await ask("/", viewer)).text).not.toContain("Purchase Feature Coming Soon!");
  });

  it("renews a session that was last used long ago, and says so to the browser", async () => {
    const viewer = nobody(3);
    await ask("/", viewer);
    await ask("/", viewer);
    await site.database.db
      .update(sessions)
      .set({ expiresAt: new Date(Date.now() + 5 * 86_400_000) })
      .where(eq(sessions.tokenHash, viewer.tokenHash));
    const renewed = await ask("/", viewer);
    expect(renewed.cookies.join()).toContain("session=");
    expect(tokensIn(renewed)).toEqual([tokenOf(viewer)]);
    expectOwnPage(await ask("/", viewer), viewer);
  });

  it("reaches nobody else, whatever changes while thousands ask at once", {
    timeout: 300_000,
  }, async () => {
    const { db } = site.database;
    const from = await statistic();
    const seenEditions = new Set<string>();
    let chapters = 0;
    const pathFor = ({ isMember }: SignedIn, index: number) => {
      if (index % 6 === 0) return "/account";
      if (isMember && index % 20 === 2) return "/premium/chapters/gates";
      if (!isMember || index % 4 !== 0) return "/";
      return index % 8 === 0 ? "/premium" : "/premium/chapters";
    };
    const askAll = (
      asking: readonly SignedIn[],
      change: (viewer: SignedIn, index: number) => Promise<"signed out" | undefined>,
    ) =>
      pMap(
        asking,
        async (viewer, index) => {
          const isSignedOut = (await change(viewer, index)) === "signed out";
          const answer = await ask(pathFor(viewer, index), viewer);
          const [edition] = /Edition \d begins/.exec(answer.text) ?? [];
          if (edition) seenEditions.add(edition);
          if (answer.text.includes(noteOf(viewer.id))) chapters++;
          if (!isSignedOut) return expectOwnPage(answer, viewer);
          expect(tokensIn(answer)).toEqual([]);
          expect([200, 302]).toContain(answer.status);
        },
        { concurrency: CONCURRENT },
      );

    writeEdition(folder.path, { "landing.yml": "about: Edition 1 begins." });
    await askAll(viewers, async () => undefined);
    writeEdition(folder.path, { "landing.yml": "about: Edition 2 begins." });
    await askAll(viewers, async (viewer, index) => {
      if (index % 10 !== 3) return undefined;
      const token = `viewer-${index}-${randomBytes(6).toString("hex")}`;
      viewer.email = viewer.email.replace(TOKEN, token);
      await db
        .update(users)
        .set({ email: viewer.email, avatarUrl: pictureOf(viewer.email) })
        .where(eq(users.id, viewer.id));
      return undefined;
    });
    await askAll(viewers, async (viewer, index) => {
      if (index % 10 !== 7) return undefined;
      await db.delete(sessions).where(eq(sessions.tokenHash, viewer.tokenHash));
      return "signed out";
    });
    const staying = viewers.filter((_, index) => index % 10 !== 7).slice(0, 200);
    await expect
      .poll(
        async () => {
          await askAll(staying, async () => undefined);
          return [...seenEditions];
        },
        { timeout: 60_000 },
      )
      .toContain("Edition 2 begins");
    expect(chapters).toBeGreaterThan(100);
    // most of them were filled in
    expect((await statistic()) - from).toBeGreaterThan(VIEWERS);
  });
});
