import { createHash, createHmac, randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Profile, podcastFeeds, profiles, users } from "~db/schema";
import { eventually } from "../support/eventually";
import { type Answer, type Sent, send } from "../support/http-client";
import { editionFolder, editionText, SMALL_EDITION } from "../support/library";
import { type ProgramSite, startProgramSite } from "../support/program-site";
import { silentMp3 } from "../support/sounds";

const ROUTES = join(import.meta.dirname, "../../app/routes");
const SECRET = "a secret of the community";
const COMMUNITY = "https://community.book.example";
const SOUND = silentMp3(30);
const SOUND_NAME = `${createHash("sha256").update(SOUND).digest("hex").slice(0, 32)}.mp3`;

/** Words for members only, in every form in which they leave the site. */
const MEMBERS_WORDS = ["mostly patience", "Empty one drawer", "A mile is enough"];

const folder = editionFolder({
  ...SMALL_EDITION,
  "extras/mile.md": editionText(
    {
      ...{ title: "The Slow Mile", summary: "A walk.", order: 2 },
      ...{ kind: "audio-walk", audio: "mile.mp3" },
    },
    "A mile is enough.",
  ),
  "extras/mile.mp3": SOUND,
});

/** A requester: their cookie, id, and the token of their present or former feed. */
type Person = { cookie: string; id: string; token: string };

const KINDS = [
  "no session",
  "a made-up session",
  "no membership",
  "ended",
  "past due in grace",
  "member",
] as const;
type Kind = (typeof KINDS)[number];

const MEMBERS: readonly Kind[] = ["past due in grace", "member"];
const SIGNED_IN: readonly Kind[] = ["no membership", "ended", ...MEMBERS];

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const paid = (days: number, status: string): Partial<Profile> => ({
  stripePriceId: "price_1",
  stripeSubscriptionId: `sub_${status}`,
  stripeSubscriptionStatus: status,
  stripeCurrentPeriodEnd: inDays(days),
});

let site: ProgramSite;
const people = new Map<Kind, Person>();

beforeAll(async () => {
  site = await startProgramSite({
    CONTENT_DIR: folder.path,
    RATE_LIMIT_FACTOR: "10000",
    COMMUNITY_URL: COMMUNITY,
    DISCOURSE_CONNECT_SECRET: SECRET,
  });
  people.set("no session", { cookie: "", id: "nobody", token: "n".repeat(32) });
  people.set("a made-up session", {
    cookie: "__session=made-up; session=made-up",
    ...{ id: "nobody", token: "m".repeat(32) },
  });
  people.set("no membership", await newPerson("none", {}));
  people.set("ended", await newPerson("ended", paid(-1, "canceled")));
  people.set("past due in grace", await newPerson("grace", paid(10, "past_due")));
  people.set("member", await newPerson("member", paid(20, "active")));
  await eventually(async () =>
    expect((await ask("member", { path: "/premium/chapters/hills" })).status).toBe(200),
  );
});

afterAll(async () => {
  await site?.close();
  folder.remove();
});

async function newPerson(name: string, profile: Partial<Profile>): Promise<Person> {
  const { db } = site.database;
  const visitor = site.visitor();
  await visitor.signUp(`${name}@example.test`);
  const [user] = await db
    .select()
    .from(users)
    .where(eq(users.email, `${name}@example.test`));
  const id = user?.id ?? "";
  if (Object.keys(profile).length > 0) {
    await db.update(profiles).set(profile).where(eq(profiles.id, id));
  }
  const token = createHash("sha256").update(name).digest("base64url").slice(0, 32);
  await db.insert(podcastFeeds).values({ userId: id, token });
  return { cookie: visitor.cookie, id, token };
}

const person = (kind: Kind): Person => people.get(kind) as Person;

type Asked = Sent & { path: string };

function ask(kind: Kind, { path, ...sent }: Asked): Promise<Answer> {
  return send(site.origin + path, {
    ...sent,
    cookie: person(kind).cookie,
    headers: { Origin: site.origin, ...sent.headers },
  });
}

type Row = {
  /** The route's folder. */
  route: string;
  asked: Asked | ((person: Person) => Asked);
  /** The kinds of requesters who get in; by default, members. */
  admitted?: readonly Kind[];
  /** The result for these, and for all others: a status, or a redirect's target. */
  inside: string;
  outside: string | Partial<Record<Kind, string>>;
};

const page = (route: string, path: string): Row => ({
  route,
  asked: { path },
  inside: "200",
  outside: "to /",
});

/** A page that asks a signed-out visitor to log in at its own address. */
const readingPage = (route: string, path: string): Row => ({
  ...page(route, path),
  outside: {
    "no session": "200",
    "a made-up session": "200",
    "no membership": "to /",
    ended: "to /",
  },
});

const note = ({ id }: Person) => ({ slug: "hills", owner: id, version: "0", text: "Mine." });

const connect = () => {
  const fields = { nonce: "n", return_sso_url: `${COMMUNITY}/session/sso_login` };
  const sso = Buffer.from(new URLSearchParams(fields).toString()).toString("base64");
  const sig = createHmac("sha256", SECRET).update(sso).digest("hex");
  return `/community/connect?${new URLSearchParams({ sso, sig })}`;
};

const TABLE: Row[] = [
  page("premium", "/premium"),
  readingPage("premium_.chapters", "/premium/chapters"),
  readingPage("premium_.chapters_.$slug", "/premium/chapters/hills"),
  readingPage("premium_.extras.$slug", "/premium/extras/mile"),
  readingPage("premium_.search", "/premium/search?q=patience"),
  readingPage("premium_.e-book", "/premium/e-book"),
  readingPage("premium_.podcast", "/premium/podcast"),
  readingPage("premium_.highlights", "/premium/highlights"),
  page("premium_.highlights_.$id", "/premium/highlights/new?text=hills&block=1"),
  page("premium_.book[.]epub", "/premium/book.epub"),
  // outsiders do not learn whether a text exists
  { ...readingPage("premium_.chapters_.$slug", "/premium/chapters/later"), inside: "404" },
  { ...readingPage("premium_.chapters_.$slug", "/premium/chapters/nowhere"), inside: "404" },
  { ...readingPage("premium_.extras.$slug", "/premium/extras/hills"), inside: "404" },
  { ...readingPage("premium_.chapters", "/premium/chapters?page=9"), inside: "404" },
  // addresses for posts only
  { ...page("premium_.progress", "/premium/progress"), inside: "to /premium/chapters" },
  { ...page("premium_.listening", "/premium/listening"), inside: "to /premium/chapters" },
  { ...page("premium_.notes", "/premium/notes"), inside: "to /premium" },
  { ...page("premium_.notes_.save", "/premium/notes/save"), inside: "to /premium" },
  {
    ...page("premium_.highlights_.save", "/premium/highlights/save"),
    inside: "to /premium/highlights",
  },
  { ...page("premium_.highlights_.$id", "/premium/highlights/nobodys"), inside: "404" },
  { ...page("premium_.highlights[.]csv", "/premium/highlights.csv"), admitted: SIGNED_IN },
  { ...page("premium_.community", "/premium/community"), inside: `to ${COMMUNITY}/session/sso` },
  {
    ...page("premium_.notes[.]md", "/premium/notes.md"),
    // accounts always keep access to their own notes
    admitted: SIGNED_IN,
  },
  {
    route: "premium_.media.$name",
    asked: { path: `/premium/media/${SOUND_NAME}` },
    inside: "200",
    outside: "404",
  },
  {
    route: "premium_.media.$name",
    asked: { path: `/premium/media/${SOUND_NAME}`, headers: { Range: "bytes=0-9" } },
    inside: "206",
    outside: "404",
  },
  {
    route: "podcast.$name",
    asked: ({ token }) => ({ path: `/podcast/${token}.xml` }),
    inside: "200",
    outside: "404",
  },
  {
    route: "podcast.$token.$name",
    asked: ({ token }) => ({ path: `/podcast/${token}/${SOUND_NAME}` }),
    inside: "200",
    outside: "404",
  },
  {
    route: "premium_.progress",
    asked: { path: "/premium/progress", form: { action: "read", slug: "hills" } },
    inside: "to /premium/chapters/hills#mark-as-read",
    outside: "to /",
  },
  {
    route: "premium_.progress",
    asked: { path: "/premium/progress", json: { action: "position", slug: "hills", block: 1 } },
    inside: "200",
    outside: "403",
  },
  {
    route: "premium_.highlights_.save",
    asked: { path: "/premium/highlights/save", json: { intent: "delete", id: randomUUID() } },
    inside: "404",
    outside: {
      "no session": "401",
      "a made-up session": "401",
      "no membership": "403",
      ended: "403",
    },
  },
  {
    route: "premium_.listening",
    asked: { path: "/premium/listening", json: { slug: "mile", second: 9 } },
    inside: "200",
    outside: "403",
  },
  {
    route: "premium_.podcast",
    asked: { path: "/premium/podcast", form: { intent: "renew" } },
    inside: "to /premium/podcast",
    outside: "to /",
  },
  {
    route: "premium_.notes",
    asked: (asking) => ({ path: "/premium/notes", form: note(asking) }),
    inside: "to /premium/chapters/hills#notes",
    // the page holds the text until the visitor signs in; notes of a former member are still saved
    outside: {
      "no session": "to /auth/unsaved",
      "a made-up session": "to /auth/unsaved",
      "no membership": "to /",
      ended: "to /",
    },
  },
  {
    route: "premium_.notes_.save",
    asked: (asking) => ({ path: "/premium/notes/save", json: note(asking) }),
    inside: "200",
    outside: {
      "no session": "401",
      "a made-up session": "401",
      "no membership": "403",
      ended: "200",
    },
  },
  {
    route: "community_.connect",
    asked: () => ({ path: connect() }),
    inside: `to ${COMMUNITY}/session/sso_login`,
    outside: {
      "no session": "200",
      "a made-up session": "200",
      "no membership": "to /#purchase",
      ended: "to /#purchase",
    },
  },
  // public, but without members' texts
  { route: "preview_.$slug", asked: { path: "/preview/hills" }, inside: "404", outside: "404" },
  {
    route: "preview_.$slug",
    asked: { path: "/preview/gates" },
    admitted: KINDS,
    ...{ inside: "200", outside: "404" },
  },
  {
    route: "preview_.media.$name",
    asked: { path: `/preview/media/${SOUND_NAME}` },
    ...{ inside: "404", outside: "404" },
  },
];

const askedBy = ({ asked }: Row, kind: Kind): Asked =>
  typeof asked === "function" ? asked(person(kind)) : asked;

const nameOf = ({ route, asked }: Row) => {
  const { path, form, json } =
    typeof asked === "function" ? asked({ cookie: "", id: "", token: "token" }) : asked;
  const method = form ? "POST" : json ? "POST as JSON" : "GET";
  return `${method} ${path.replace(/\?.*/, "")} (${route})`;
};

/** Returns a status, or a redirect's target without its query, which may be signed. */
function summary({ status, headers }: Answer): string {
  const { location } = headers;
  return location === undefined ? `${status}` : `to ${location.replace(/\?.*/, "")}`;
}

function expectedFor({ admitted = MEMBERS, inside, outside }: Row, kind: Kind): string {
  if (admitted.includes(kind)) return inside;
  return typeof outside === "string" ? outside : (outside[kind] ?? "");
}

/** Whether shared caches may not store it. */
const isPrivate = ({ headers }: Answer) =>
  /\b(?:private|no-store)\b/.test(headers["cache-control"] ?? "");

describe("the guard of the library", () => {
  it("is tested on every route", () => {
    const routes = readdirSync(ROUTES).filter((route) =>
      /^(?:premium|podcast|community|preview)\b|^(?:premium|podcast|community|preview)_/.test(
        route,
      ),
    );
    expect(routes.length).toBeGreaterThan(15);
    expect(new Set(TABLE.map(({ route }) => route))).toEqual(new Set(routes));
  });

  describe.each(TABLE.map((row) => ({ name: nameOf(row), row })))("$name", ({ row }) => {
    it.each(KINDS)("%s", async (kind) => {
      const asked = askedBy(row, kind);
      const answer = await ask(kind, asked);
      expect(summary(answer)).toBe(expectedFor(row, kind));
      const mayKnow = MEMBERS.includes(kind) || row.route.startsWith("preview");
      if (mayKnow) {
        if (!row.route.startsWith("preview")) expect(isPrivate(answer)).toBe(true);
      } else {
        for (const words of MEMBERS_WORDS) expect(answer.text).not.toContain(words);
        expect(answer.body.includes(SOUND.subarray(0, 400))).toBe(false);
      }
      if (asked.form || asked.json) return;

      // ranges are only for GET (RFC 9110, 14.2)
      const head = await ask(kind, { path: asked.path, method: "HEAD" });
      expect(summary(head)).toBe(summary(answer).replace("206", "200"));
    });
  });

  it.each(
    TABLE.filter(({ outside, asked }) => outside === "to /" && !("form" in asked)).map((row) => ({
      name: nameOf(row),
      row,
    })),
  )("also protects the data that a page with JavaScript loads: $name", async ({ row }) => {
    for (const kind of KINDS) {
      if ((row.admitted ?? MEMBERS).includes(kind)) continue;
      const { path } = askedBy(row, kind);
      const data = path.replace(/(?=\?|$)/, ".data");
      const alone = `${data}${data.includes("?") ? "&" : "?"}_routes=${encodeURIComponent(`routes/${row.route}`)}`;
      for (const asked of [data, alone]) {
        const answer = await ask(kind, { path: asked });
        expect(answer.status, `${kind}, ${asked}`).toBe(202);
        expect(answer.text).toMatch(
          /^\[\["SingleFetchRedirect",1\],\{[^}]*\},"redirect","\/","status",302,/,
        );
        expect(answer.text.length).toBeLessThan(200);
      }
    }
  });
});

describe("access that ends while a member reads", () => {
  it("ends at the next request, but unsaved notes are still accepted", async () => {
    const reader = await newPerson("reader", paid(20, "active"));
    people.set("member", reader);
    const ended = { ...reader };
    const rows = TABLE.filter(({ outside }) => outside === "to /" || outside === "404");
    const before = await ask("member", { path: "/premium/chapters/hills" });
    expect(before.text).toContain("mostly patience");

    await site.database.db
      .update(profiles)
      .set(paid(-0.001, "canceled"))
      .where(eq(profiles.id, reader.id));
    for (const row of rows) {
      if (row.admitted) continue;
      const answer = await ask("member", askedBy(row, "member"));
      expect(summary(answer), nameOf(row)).toBe(row.outside);
    }
    // a browser that has the page or the sound revalidates it
    const known = await ask("member", {
      path: `/premium/media/${SOUND_NAME}`,
      headers: { "If-None-Match": `"${SOUND_NAME}"` },
    });
    expect(known.status).toBe(404);
    const saved = await ask("member", { path: "/premium/notes/save", json: note(ended) });
    expect(saved.status).toBe(200);
    const exported = await ask("member", { path: "/premium/notes.md" });
    expect(exported.text).toContain("Mine.");
  });
});
