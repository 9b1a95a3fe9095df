import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profiles, sessions, users } from "~db/schema";
import { type Answer, type Sent, send } from "../support/http-client";
import { type ProgramSite, startProgramSite } from "../support/program-site";
import { changedTables, readContents } from "../support/tables";

const ROUTES = join(import.meta.dirname, "../../app/routes");
const ID = "6f1c0d1e-4b5a-4f0e-9a77-2f1b6f0f9d3c";

/** The address of every route of the desk, from its folder: parameters have a value, brackets escape. */
const ADDRESSES = [
  ...new Set(
    readdirSync(ROUTES)
      .filter((name) => /^desk(?![a-z])/.test(name))
      .map((name) =>
        name
          .replaceAll(/\[(.)\]/g, "\0")
          .replace(/\._index$/, "")
          .split(".")
          .map((part) => part.replace(/_$/, "").replace(/^\$\w+/, ID))
          .join("/")
          .replaceAll("\0", "."),
      )
      .map((path) => `/${path}`),
  ),
];

/** Who is no author, or not yet, and a site on which nobody is. */
const OTHERS = ["visitor", "made-up", "reader", "member", "unconfirmed"] as const;
type Kind = (typeof OTHERS)[number] | "author" | "stale author";

let site: ProgramSite;
let siteWithoutDesk: ProgramSite;
const cookies = new Map<Kind, string>();

beforeAll(async () => {
  site = await startProgramSite({
    AUTHOR_EMAIL: "author@example.test, stale@example.test, unconfirmed@example.test",
    RATE_LIMIT_FACTOR: "10000",
  });
  siteWithoutDesk = await startProgramSite({ RATE_LIMIT_FACTOR: "10000" });
  cookies.set("visitor", "");
  cookies.set("made-up", "session=made-up; __Host-session=made-up");
  for (const kind of ["reader", "member", "unconfirmed", "author", "stale author"] as const) {
    cookies.set(kind, await newPerson(`${kind.split(" ")[0]}@example.test`, kind));
  }
});

afterAll(async () => {
  await site?.close();
  await siteWithoutDesk?.close();
});

async function newPerson(email: string, kind: Kind): Promise<string> {
  const { db } = site.database;
  const visitor = site.visitor();
  await visitor.signUp(email);
  const confirmedAt = kind === "unconfirmed" ? null : new Date();
  const [user] = await db
    .update(users)
    .set({ emailConfirmedAt: confirmedAt })
    .where(eq(users.email, email))
    .returning();
  const id = user?.id ?? "";
  if (kind === "member") {
    await db
      .update(profiles)
      .set({
        stripePriceId: "price_1",
        stripeCurrentPeriodEnd: new Date(Date.now() + 86_400_000),
      })
      .where(eq(profiles.id, id));
  }
  if (kind === "stale author") {
    const verifiedAt = new Date(Date.now() - 12.1 * 3_600_000);
    await db.update(sessions).set({ verifiedAt }).where(eq(sessions.userId, id));
  }
  return visitor.cookie;
}

type Asked = Sent & { path: string; at?: ProgramSite };

function ask(kind: Kind, { path, at = site, ...sent }: Asked): Promise<Answer> {
  return send(at.origin + path, {
    ...sent,
    cookie: cookies.get(kind),
    headers: { Origin: at.origin, "Accept-Encoding": "identity", ...sent.headers },
  });
}

/** What differs between any two answers to the same request: nonces, ids, times, the address itself. */
function comparable({ status, headers, text }: Answer, { path, at = site }: Asked): string {
  const { date: _, "x-request-id": __, "set-cookie": cookie, etag: ___, ...rest } = headers;
  const nonce = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"]))?.[1];
  const all = JSON.stringify({
    status,
    rest,
    cookie: cookie?.map((each) => each.split("=")[0]),
    text,
  });
  const bare = path.replace(/\.data$|\?.*/g, "");
  return all
    .replaceAll(nonce ?? "\0", "NONCE")
    .replaceAll(at.origin, "ORIGIN")
    .replaceAll(new URL(at.origin).host, "HOST")
    .replaceAll(bare, "ADDRESS");
}

/** What follows where two texts begin to differ; empty if they do not. */
function difference(one: string, other: string): string {
  if (one === other) return "";
  const at = [...one].findIndex((character, index) => character !== other[index]);
  return `${one.slice(at - 40, at + 80)} ≠ ${other.slice(at - 40, at + 80)}`;
}

/** An address of the same length that nothing is at. */
const unknownLike = (path: string) => path.replace("/desk", "/dusk");

/** The requests that a page of the desk, its data and its forms are made of. */
const WAYS: [string, (path: string) => Asked][] = [
  ["page", (path) => ({ path })],
  ["data", (path) => ({ path: `${path}.data` })],
  ["part of the data", (path) => ({ path: `${path}.data?_routes=routes%2Fdesk` })],
  ["form", (path) => ({ path, form: { intent: "send", subject: "Hello" } })],
  ["form of its data", (path) => ({ path: `${path}.data`, form: { intent: "send" } })],
  ["index form", (path) => ({ path: `${path}?index`, form: { intent: "send" } })],
  ["JSON", (path) => ({ path, json: { intent: "send" } })],
  ["PUT", (path) => ({ path, method: "PUT", body: "x" })],
  ["HEAD", (path) => ({ path, method: "HEAD" })],
  ["other spelling", (path) => ({ path: path.replace(/^\/d/, "/D") })],
  ["escaped", (path) => ({ path: path.replace(/^\/d/, "/%64") })],
];

describe("the desk", () => {
  it("has addresses", () => {
    expect(ADDRESSES).toContain("/desk");
    expect(ADDRESSES).toContain("/desk/log");
  });

  describe.each(OTHERS)("to a %s", (kind) => {
    it.each(ADDRESSES)("is an unknown address at %s", async (path) => {
      const before = await readContents(site.database);
      for (const [name, way] of WAYS) {
        const asked = way(path);
        const unknown = way(unknownLike(path));
        const [answer, other] = [await ask(kind, asked), await ask(kind, unknown)];
        // Remix answers so whoever asks for data of a route that is not at an address
        expect(answer.status, name).toBe(asked.path.includes("_routes") ? 200 : 404);
        expect(difference(comparable(answer, asked), comparable(other, unknown)), name).toBe("");
      }
      expect(changedTables(before, await readContents(site.database))).toEqual([]);
    });
  });

  it.each(ADDRESSES)("is an unknown address at %s while it is off", async (path) => {
    for (const [name, way] of WAYS) {
      const [on, off] = [way(path), { ...way(path), at: siteWithoutDesk }];
      const answers = [await ask("visitor", on), await ask("visitor", off)] as const;
      const [one, other] = [comparable(answers[0], on), comparable(answers[1], off)];
      expect(difference(one, other), name).toBe("");
    }
  });

  it.each(ADDRESSES)("asks an author for the password at %s after twelve hours", async (path) => {
    const before = await readContents(site.database);
    for (const sent of [{}, { form: { intent: "send" } }] as Sent[]) {
      const answer = await ask("stale author", { path, ...sent });
      // an address without forms answers all authors so
      if (sent.form && answer.status === 405) continue;
      expect(answer.status).toBe(302);
      expect(answer.headers.location).toMatch(/^\/account\/verify\?next=%2Fdesk/);
    }
    expect(changedTables(before, await readContents(site.database))).toEqual([]);
  });

  it.each(ADDRESSES)("takes no form at %s from another site", async (path) => {
    const headers = { Origin: "https://evil.example" };
    const answer = await ask("author", { path, form: { intent: "send" }, headers });
    expect(answer.status).toBe(403);
  });

  it("opens to its author, without being stored, indexed or counted", async () => {
    const { status, headers, text } = await ask("author", { path: "/desk" });
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-store");
    expect(headers["content-security-policy"]).toMatch(/frame-src 'self';.*frame-ancestors 'none'/);
    expect(text).toContain('<meta name="robots" content="noindex"/>');
    expect(await site.metric("visitors_total")).toBe(0);
  });

  it("shows its style sheet and scripts to nobody else", async () => {
    for (const path of ["/", "/auth", "/nowhere", "/desk"]) {
      const { text } = await ask("visitor", { path });
      expect(text, path).not.toMatch(/desk[^"]*\.(?:css|js)/);
    }
    expect((await ask("author", { path: "/desk" })).text).toMatch(/desk[^"]*\.css/);
  });
});
