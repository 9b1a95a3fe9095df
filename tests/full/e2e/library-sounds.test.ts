import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { connect, type Socket } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profiles, users } from "~db/schema";
import { eventually } from "../../support/eventually";
import { type Sent, send } from "../../support/http-client";
import { editionFolder, editionText } from "../../support/library";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { silentMp3 } from "../../support/sounds";

/** Far more than sockets buffer. */
const SOUND = silentMp3(600);
const NAME = `${createHash("sha256").update(SOUND).digest("hex").slice(0, 32)}.mp3`;
const PATH = `/premium/media/${NAME}`;
const TAG = `"${NAME}"`;
const LAST = SOUND.byteLength - 1;

const folder = editionFolder({
  "chapters/gates.md": editionText({ title: "Gates", summary: "How to begin.", order: 1 }),
  "extras/mile.md": editionText({
    title: "The Slow Mile",
    summary: "A walk.",
    order: 1,
    kind: "audio-walk",
    audio: "mile.mp3",
  }),
  "extras/mile.mp3": SOUND,
});

let site: ProgramSite;
let member: string;
let feed: string;

beforeAll(async () => {
  site = await startProgramSite({
    CONTENT_DIR: folder.path,
    RATE_LIMIT_FACTOR: "10000",
    LOG_LEVEL: "info",
  });
  member = await signIn("member@example.test", inDays(20));
  await send(`${site.origin}/premium/podcast`, {
    form: { intent: "create" },
    cookie: member,
    headers: { Origin: site.origin },
  });
  const page = await send(`${site.origin}/premium/podcast`, { cookie: member });
  feed = /http[^"]*\/podcast\/[\w-]{32}\.xml/.exec(page.text)?.[0] ?? "";
  await eventually(async () => expect((await get(PATH)).status).toBe(200));
});
afterAll(async () => {
  await site?.close();
  folder.remove();
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

/** The cookie of a new account, with access until `until`. */
async function signIn(email: string, until: Date | null): Promise<string> {
  const visitor = site.visitor();
  await visitor.signUp(email);
  await setAccess(email, until);
  return visitor.cookie;
}

async function setAccess(email: string, until: Date | null): Promise<void> {
  const { db } = site.database;
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  await db
    .update(profiles)
    .set({ stripePriceId: until && "price_1", stripeCurrentPeriodEnd: until })
    .where(eq(profiles.id, user?.id ?? ""));
}

const get = (path: string, headers: Sent["headers"] = {}, cookie = member, method = "GET") =>
  send(site.origin + path, { headers, cookie, method });

/** The feed's own address of the sound, at the host under test. */
const feedSound = () => `${new URL(feed).pathname.replace(/\.xml$/, "")}/${NAME}`;

describe("a sound", () => {
  const whole = { status: 200, from: 0, to: LAST };

  it.each([
    [undefined, whole],
    ["bytes=0-0", { status: 206, from: 0, to: 0 }],
    ["bytes=100-70099", { status: 206, from: 100, to: 70_099 }],
    [`bytes=${LAST}-`, { status: 206, from: LAST, to: LAST }],
    ["bytes=-500", { status: 206, from: LAST - 499, to: LAST }],
    // unreadable ranges are ignored (RFC 9110, 14.2)
    ["pages=1-2", whole],
    ["bytes=0-1,5-6", whole],
  ])("is sent from disk as requested: Range %s", async (range, { status, from, to }) => {
    for (const path of [PATH, feedSound()]) {
      const answer = await get(path, range === undefined ? {} : { Range: range });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        "content-type": "audio/mpeg",
        "content-length": String(to - from + 1),
        "accept-ranges": "bytes",
        "cache-control": "private, no-cache",
        "x-content-type-options": "nosniff",
        etag: TAG,
      });
      expect(answer.headers["content-encoding"]).toBeUndefined();
      const part = status === 206 ? `bytes ${from}-${to}/${SOUND.byteLength}` : undefined;
      expect(answer.headers["content-range"]).toBe(part);
      expect(answer.body.equals(SOUND.subarray(from, to + 1))).toBe(true);
    }
  });

  it("gets a 416 for a range past its end", async () => {
    const answer = await get(PATH, { Range: `bytes=${LAST + 1}-` });
    expect(answer.status).toBe(416);
    expect(answer.headers["content-range"]).toBe(`bytes */${SOUND.byteLength}`);
  });
});

describe("the podcast's secret address", () => {
  it("appears in no log line, in any encoding, nor in the metrics", async () => {
    const path = new URL(feed).pathname;
    const token = /\/podcast\/([\w-]{32})/.exec(path)?.[1] ?? "";
    expect(token).not.toBe("");
    const spellings = [
      path,
      feedSound(),
      `${path}/`,
      path.toUpperCase(),
      path.replace("podcast", "%70odcast"),
      path.replace("/podcast/", "//podcast//"),
      `/.${path}`,
      `/a/%2e%2e${path}`,
      `/a/..${path.replaceAll("/", "\\")}`,
      `/podcast/${token}`,
      `/podcast/${token}/a/b`,
      `/podcast/${token}/%E0%A4%A`,
      `${path}?utm=1`,
      `${path}.data`,
    ];
    for (const spelling of spellings) await get(spelling, {}, "");
    await get(path, { Host: "another.example" }, "");
    await eventually(() => expect(site.program.output()).toContain("/podcast/[redacted]"));
    expect(site.program.output().toLowerCase()).not.toContain(token.toLowerCase());
    expect(
      await site.metric("http_request_duration_seconds_count", {
        route: "/podcast",
        status: "200",
      }),
    ).toBeGreaterThan(0);
  });
});

describe("clients that stop reading", () => {
  const openSounds = () => {
    const folder = `/proc/${site.program.pid}/fd`;
    const paths = readdirSync(folder).map((name) => {
      try {
        return readlinkSync(`${folder}/${name}`);
      } catch {
        return "";
      }
    });
    return paths.filter((path) => path.includes(NAME)).length;
  };
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${site.program.pid}/status`, "utf8"))?.[1]);

  it("leave no file open when they disconnect", async () => {
    const abort = () =>
      new Promise<void>((resolve) => {
        const sent: ClientRequest = request(
          site.origin + PATH,
          { headers: { Cookie: member }, agent: false },
          (response) => response.once("data", () => sent.destroy()),
        );
        sent.on("error", () => {});
        sent.once("close", resolve);
        sent.end();
      });
    await Promise.all(Array.from({ length: 50 }, abort));
    await eventually(() => expect(openSounds()).toBe(0));
    expect((await get(PATH, { Range: "bytes=0-9" })).status).toBe(206);
  });

  // 32 pages are rendered at one time
  it("block no page, keep no file open and use little memory while they read slowly", async () => {
    const { hostname, port } = new URL(site.origin);
    const before = memory();
    const sockets: Socket[] = await Promise.all(
      Array.from(
        { length: 50 },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect({ host: hostname, port: Number(port) });
            socket.on("error", () => {});
            socket.write(
              `GET ${PATH} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${member}\r\n\r\n`,
            );
            socket.once("data", (bytes) => {
              expect(bytes.toString("latin1")).toContain(" 200 ");
              socket.pause();
              resolve(socket);
            });
          }),
      ),
    );
    expect((await get("/premium/podcast")).status).toBe(200);
    await eventually(() => expect(openSounds()).toBe(0));
    // 50 sounds are 480 MB
    expect(memory() - before).toBeLessThan(150_000);
    for (const socket of sockets) socket.destroy();
  });
});
