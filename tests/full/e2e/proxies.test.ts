import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { Agent } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { type Sent, send } from "../../support/http-client";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { temporaryDirectory } from "../../support/program";
import {
  type AskedByTls,
  askProxy,
  PROXIES,
  type RunningProxy,
  rootOf,
  SITE_HOST,
  startProxy,
} from "../../support/proxies";
import { type RestartingProgram, startRestartingProgram } from "../../support/restarting-program";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

const ORIGIN = `https://${SITE_HOST}`;
/** The address of the tests' clients, and its network, which the log may contain. */
const CLIENT = "127.3.4.5";
const CLIENT_NETWORK = "127.3.4.0/24";

/** Restarts under load take long on a busy machine, which is not under test. */
const RESTART_LIMIT_MS = 240_000;

const installed = PROXIES.filter(
  (name) => serverProgram(name) !== null && serverProgram("openssl"),
);

let testDatabase: TestDatabase;
let database: Database;
let folder: string;
const data = temporaryDirectory();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "golden-path-proxies-"));
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
  if (folder) rmSync(folder, { recursive: true, force: true });
  data.remove();
});

const variables = (more: Record<string, string> = {}) => ({
  PUBLIC_URL: ORIGIN,
  TRUST_PROXY: "1",
  DATABASE_URL: testDatabase.url,
  DATA_DIR: data.path,
  ...more,
});

/** Sends one browser's requests through a proxy: keeps its cookies, and posts as the site's pages do. */
function browser(proxy: RunningProxy) {
  const cookies = new Map<string, string>();
  const ask = async (path: string, sent: AskedByTls = {}) => {
    const answer = await askProxy(proxy, path, {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      ...sent,
      headers: { "Sec-Fetch-Site": "same-origin", Origin: ORIGIN, ...sent.headers },
    });
    for (const line of answer.cookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return ask;
}

function openHttp2({ httpsPort }: RunningProxy) {
  return connectHttp2(ORIGIN, {
    createConnection: () =>
      connectTls({
        host: "127.0.0.1",
        port: httpsPort,
        servername: SITE_HOST,
        ALPNProtocols: ["h2"],
        rejectUnauthorized: false,
      }),
  });
}

/** Sends a picture of 30 MB as a browser does, which reads the response after sending all of it. */
async function expectPictureTooLarge(
  ask: ReturnType<typeof browser>,
  name: string,
  connect: () => Socket,
): Promise<void> {
  const email = `${name}@example.test`;
  const { cookies } = await ask("/auth/signup", { form: { email, password: "a long walk" } });
  const session = cookies.find((line) => line.startsWith("__Host-session=")) ?? "";
  const cookie = session.split(";")[0] ?? "";
  const start =
    '--part\r\nContent-Disposition: form-data; name="picture"; filename="large.jpg"\r\n\r\n';
  const chunk = Buffer.alloc(500_000);
  const socket = connect();
  let text = "";
  let error: Error | null = null;
  socket.setEncoding("utf8").on("data", (received: string) => {
    text += received;
  });
  socket.once("error", (reason) => {
    error = reason;
  });
  socket.write(
    `POST /account/picture HTTP/1.1\r\nHost: ${SITE_HOST}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=part\r\nContent-Length: ${start.length + 60 * chunk.length}\r\n\r\n${start}`,
  );
  for (let sent = 0; sent < 60; sent++) {
    const isTaken = new Promise((taken) => socket.write(chunk, taken));
    await Promise.all([isTaken, pause(40)]);
    expect(error).toBeNull();
  }
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 303 /);
  socket.destroy();
  const flash = /^set-cookie: (__Host-flash=[^;]+)/im.exec(text)?.[1] ?? "";
  const page = await ask("/account", { cookie: `${cookie}; ${flash}` });
  expect(page.text).toContain("The picture is larger than 5 MB. Please choose a smaller one.");
}

describe("with systemd's socket", () => {
  let site: RestartingProgram;
  const proxies = new Map<string, RunningProxy>();

  beforeAll(async () => {
    const settings = variables({ EARLY_HINTS: "true" });
    site = await startRestartingProgram(settings, { isSocketHeld: true });
    for (const name of installed) proxies.set(name, await startProxy(name, folder, site.port));
  });
  afterAll(async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    await site?.stop();
  });

  it("rejects a 30 MB picture sent directly over a slow line as too large", async () => {
    const ask = (path: string, sent: Sent = {}) =>
      send(site.origin + path, { ...sent, headers: { Host: SITE_HOST, ...sent.headers } });
    await expectPictureTooLarge(ask, "large-directly", () => connectTcp(site.port, "127.0.0.1"));
  });

  it("tells a proxy that does not forward the Host what to change, and logs it", async () => {
    const answer = await send(`${site.origin}/auth`);
    expect(answer.status).toBe(421);
    expect(answer.text).toContain(
      `This site is ${ORIGIN}, but the request was for the host '127.0.0.1:${site.port}'.`,
    );
    expect(answer.text).toContain("(nginx: 'proxy_set_header Host $host;')");
    const line = () =>
      site
        .output()
        .split("\n")
        .find((text) => text.includes("its Host is not that"));
    await expect.poll(line).toBeDefined();
    expect(JSON.parse(line() ?? "")).toMatchObject({
      level: 40,
      host: `127.0.0.1:${site.port}`,
      publicUrl: ORIGIN,
    });
  });

  describe.each(PROXIES)("%s, configured as in docs/deploy/,", (name) => {
    const skipped = unlessInstalled(name);
    const test = it.skipIf(!installed.includes(name));
    const proxy = () => proxies.get(name) as RunningProxy;

    test(`serves pages and forms under the site's name${skipped}`, async () => {
      const ca = rootOf(folder, name);
      const ask = browser(proxy());
      for (const path of ["/", "/auth", "/auth?tab=signup", "/newsletter/archive", "/robots.txt"]) {
        const answer = await ask(path, { ca });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
      }
      const email = `${name}@example.test`;
      const signUp = await ask("/auth/signup", { form: { email, password: "a long walk" } });
      expect(signUp.status).toBe(303);
      const session = signUp.cookies.find((cookie) => cookie.startsWith("__Host-"));
      expect(session).toMatch(/; Secure/i);
      expect((await ask("/account")).text).toContain(email);
      expect((await ask("/newsletter", { form: { email } })).status).toBe(303);
      expect((await ask("/logout", { form: {} })).status).toBe(303);
      expect((await ask("/account")).status).toBe(302);
      expect((await ask("/auth/login", { json: { email, password: "a long walk" } })).status).toBe(
        200,
      );
      // as a page of another site would
      const foreign = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
      expect((await ask("/newsletter", { form: { email }, headers: foreign })).status).toBe(403);
    });

    test(`redirects http and www. to the site${skipped}`, async () => {
      const url = `http://127.0.0.1:${proxy().httpPort}/auth?tab=signup`;
      const plain = await send(url, { headers: { Host: SITE_HOST } });
      expect(plain.status).toBe(308);
      expect(plain.headers.location?.replace(`:${proxy().httpsPort}`, "")).toBe(
        `${ORIGIN}/auth?tab=signup`,
      );
      const www = await askProxy(proxy(), "/auth?tab=signup", { host: `www.${SITE_HOST}` });
      expect(www.status).toBe(308);
      expect(www.headers.location).toBe(`${ORIGIN}/auth?tab=signup`);
      const post = { host: `www.${SITE_HOST}`, form: { email: "www@example.test" } };
      expect((await askProxy(proxy(), "/newsletter", post)).status).toBe(421);
    });

    test(`forwards the client's own address, which cannot be forged${skipped}`, async () => {
      const path = `/forged-by-${name}`;
      await askProxy(proxy(), path, {
        from: CLIENT,
        headers: {
          "X-Forwarded-For": "198.51.100.7, 203.0.113.9",
          Forwarded: "for=198.51.100.7",
          "X-Real-IP": "198.51.100.7",
        },
      });
      const line = () =>
        site
          .output()
          .split("\n")
          .find((text) => text.includes(path));
      await expect.poll(line).toBeDefined();
      expect(JSON.parse(line() ?? "")).toMatchObject({ network: CLIENT_NETWORK, status: 404 });
      expect(site.output()).not.toContain("198.51.100");
    });

    test(`ignores forged names of the site${skipped}`, async () => {
      const ask = browser(proxy());
      const email = `forwarded-${name}@example.test`;
      await ask("/auth/signup", { form: { email, password: "a long walk" } });
      const page = await ask("/account/newsletter");
      for (const host of ["evil.example", `www.${SITE_HOST}`, `${SITE_HOST}, evil.example`]) {
        const headers = { "X-Forwarded-Host": host, "X-Forwarded-Proto": "http" };
        const sent = await ask("/newsletter", { form: { email: "" }, headers });
        expect([sent.status, sent.headers.location]).toEqual([303, "/#newsletter"]);
        const again = await ask("/account/newsletter", { headers });
        expect([again.status, again.headers.location]).toEqual([
          page.status,
          page.headers.location,
        ]);
        const { status, text } = await ask("/auth/forgot-password", { headers });
        expect(status).toBe(200);
        expect(text).not.toContain("evil.example");
      }
    });

    test(`returns the site's rejection of a 30 MB picture over a slow line${skipped}`, async () => {
      await expectPictureTooLarge(browser(proxy()), `large-${name}`, () =>
        connectTls({
          host: "127.0.0.1",
          port: proxy().httpsPort,
          servername: SITE_HOST,
          rejectUnauthorized: false,
        }),
      );
    });

    test(`leaves compression, ETag and limits to the site${skipped}`, async () => {
      const page = await askProxy(proxy(), "/", { headers: { "Accept-Encoding": "br, gzip" } });
      expect(page.headers["content-encoding"]).toBe("br");
      const { etag = "" } = page.headers;
      expect(etag).not.toBe("");
      const again = await askProxy(proxy(), "/", {
        headers: { "Accept-Encoding": "br, gzip", "If-None-Match": etag },
      });
      expect(again).toMatchObject({ status: 304, text: "" });
      const asset = /\/build\/[^"]+\.css/.exec((await askProxy(proxy(), "/")).text)?.[0] ?? "";
      const style = await askProxy(proxy(), asset, { headers: { "Accept-Encoding": "gzip" } });
      expect(style.headers["content-encoding"]).toBe("gzip");
      expect(style.headers["cache-control"]).toContain("immutable");
      const tooLong = await askProxy(proxy(), "/newsletter", {
        form: { email: "x".repeat(900_000) },
      });
      expect(tooLong.status).toBe(413);
      expect((await askProxy(proxy(), "/healthz")).status).toBe(200);
    });

    // nginx before 1.29 mistakes the 103 for the response; HAProxy, as configured for restarts, truncates the page
    if (name === "caddy") {
      test(`forwards early hints${skipped}`, async () => {
        const session = openHttp2(proxy());
        const { hints, headers, text } = await new Promise<Record<string, unknown>>(
          (done, fail) => {
            session.once("error", fail);
            const stream = session.request({ ":path": "/", "sec-fetch-mode": "navigate" });
            const interim: unknown[] = [];
            let final: IncomingHttpHeaders = {};
            let body = "";
            stream.on("headers", (early) => interim.push([early[":status"], early.link]));
            stream.once("response", (received) => {
              final = received;
            });
            stream.setEncoding("utf8").on("data", (chunk: string) => {
              body += chunk;
            });
            stream.once("end", () => done({ hints: interim, headers: final, text: body }));
          },
        );
        session.destroy();
        const { link = "" } = headers as { link?: string };
        expect(hints).toEqual([[103, link]]);
        // exactly the files announced are those that the page requests
        const announced = [...link.matchAll(/<([^>]+)>/g)].map((match) => match[1]);
        const wanted = [
          ...String(text).matchAll(/<link rel="(?:stylesheet|preload)"[^>]* ?href="([^"]+)"/g),
        ].map((match) => match[1]);
        expect(announced.toSorted()).toEqual(wanted.toSorted());
        expect(announced.length).toBeGreaterThanOrEqual(4);
        for (const path of announced) {
          expect((await askProxy(proxy(), path ?? "")).status).toBe(200);
        }
      });
    }

    test(`speaks HTTP/2${skipped}`, async () => {
      const session = openHttp2(proxy());
      const status = await new Promise((done, fail) => {
        session.once("error", fail);
        const stream = session.request({ ":path": "/auth" });
        stream.once("response", (headers) => done(headers[":status"]));
        stream.resume();
      });
      session.close();
      expect(status).toBe(200);
    });

    test(`waits for a slowly sent form${skipped}`, async () => {
      const body = `email=slow-${name}%40example.test`;
      const socket = connectTls({
        host: "127.0.0.1",
        port: proxy().httpsPort,
        servername: SITE_HOST,
        rejectUnauthorized: false,
      });
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      socket.write(
        `POST /newsletter HTTP/1.1\r\nHost: ${SITE_HOST}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      for (const letter of body) {
        socket.write(letter);
        await pause(40);
      }
      await expect.poll(() => text).toMatch(/^HTTP\/1\.1 303 /);
      socket.destroy();
    });
  });

  it.skipIf(installed.length === 0)(
    "a restart under load fails no request",
    async () => {
      const load = startLoad([...proxies.values()]);
      await load.settle();
      expect(await site.restart()).toBe(0);
      await load.settle();
      await load.finish(database);
    },
    RESTART_LIMIT_MS,
  );
});

describe("without systemd's socket", () => {
  const retrying = installed.filter((name) => name !== "nginx");
  it.skipIf(retrying.length === 0)(
    "Caddy and HAProxy wait for the site during a restart, and retry only safe requests",
    async () => {
      const site = await startRestartingProgram(variables(), { isSocketHeld: false });
      const proxies: RunningProxy[] = [];
      try {
        for (const name of retrying) proxies.push(await startProxy(name, folder, site.port));
        // the kernel drops connections accepted just as the port closes, so only GETs can be retried
        const load = startLoad(proxies, { sharePosted: 0 });
        await load.settle();
        expect(await site.restart()).toBe(0);
        await load.settle();
        await load.finish(database);
      } finally {
        await Promise.all(proxies.map((proxy) => proxy.stop()));
        await site.stop();
      }
    },
    RESTART_LIMIT_MS,
  );
});

/** Number of requests in flight at which the load pauses; those waiting for a restart must be answered after it. */
const MOST_IN_FLIGHT = 120;
/** Fewer requests in flight show that the waiting ones are answered. */
const SETTLED = 20;
let loads = 0;

/** Sends page and form requests through each proxy, 25 per second, until `finish`, which expects all to succeed. */
function startLoad(proxies: RunningProxy[], { sharePosted = 0.1 } = {}) {
  const run = ++loads;
  const failures: string[] = [];
  const pending = new Set<Promise<void>>();
  const counts = { gets: 0, posts: 0 };
  const agents = proxies.map(() => new Agent({ keepAlive: true }));
  const paths = ["/", "/auth", "/newsletter/archive", "/privacy-that-is-not-there"];
  const one = (proxy: RunningProxy, agent: Agent) => {
    const isPost = counts.posts < sharePosted * (counts.gets + counts.posts);
    const number = isPost ? ++counts.posts : ++counts.gets;
    const path = isPost ? "/newsletter" : (paths[number % paths.length] ?? "/");
    const json = isPost ? { email: `load-${run}-${number}@example.test` } : undefined;
    const asked = askProxy(proxy, path, {
      agent,
      json,
      headers: { "Sec-Fetch-Site": "same-origin" },
    })
      .then(({ status }) => {
        const expected = path.includes("not-there") ? 404 : 200;
        if (status !== expected) failures.push(`${proxy.name} ${path}: ${status}`);
      })
      .catch((error: Error) => void failures.push(`${proxy.name} ${path}: ${error.message}`))
      .finally(() => pending.delete(asked));
    pending.add(asked);
  };
  const timer = setInterval(() => {
    for (const [index, proxy] of proxies.entries()) {
      if (pending.size < MOST_IN_FLIGHT) one(proxy, agents[index] as Agent);
    }
  }, 40);
  return {
    /** Waits until requests no longer queue up. */
    settle: async () => {
      const answered = () => counts.gets + counts.posts - pending.size;
      const before = answered();
      await expect.poll(() => pending.size < SETTLED && answered() > before + 20).toBe(true);
    },
    finish: async (database: Database) => {
      clearInterval(timer);
      await Promise.all(pending);
      for (const agent of agents) agent.destroy();
      expect(failures, proxies.map((proxy) => proxy.output().slice(-2_000)).join("\n")).toEqual([]);
      expect(counts.gets + counts.posts).toBeGreaterThan(40);
      expect(counts.posts).toBeGreaterThanOrEqual(Math.floor(sharePosted * 40));
      const [row] = await database.db.execute<{ count: number }>(
        sql`select count(*)::int as count from subscribers where email like ${`load-${run}-%`}`,
      );
      expect(row?.count).toBe(counts.posts);
    },
  };
}

describe("the units for systemd", () => {
  const read = (name: string) =>
    readFileSync(resolve(import.meta.dirname, "../../../docs/deploy", name), "utf8");

  const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;
  it.skipIf(!canVerify)(
    `are accepted by systemd without complaint${canVerify ? "" : " (skipped: systemd-analyze is not installed)"}`,
    () => {
      const units = ["golden-path.socket", "golden-path.service"].map((name) => {
        cpSync(resolve(import.meta.dirname, "../../../docs/deploy", name), join(folder, name));
        return join(folder, name);
      });
      // the operator's installed files do not exist on every machine
      const { stderr, stdout } = spawnSync("systemd-analyze", ["verify", "--man=no", ...units], {
        encoding: "utf8",
      });
      const complaints = `${stdout}${stderr}`
        .split("\n")
        .filter(
          (line) => line !== "" && !/node is not executable|Failed to (prepare|load) /.test(line),
        );
      expect(complaints).toEqual([]);
    },
  );

  it("open the port that the proxies use, and let the program stop before its database", () => {
    const address = /^ListenStream=(.*)$/m.exec(read("golden-path.socket"))?.[1] ?? "";
    for (const name of ["nginx.conf", "Caddyfile", "haproxy.cfg"])
      expect(read(name)).toContain(address);
    expect(read("golden-path.service")).toMatch(/^KillMode=mixed$/m);
  });

  it("allow memory protection keys, which V8 needs at its start", () => {
    const service = read("golden-path.service");
    expect(service).toMatch(/^SystemCallFilter=@system-service @pkey$/m);
    expect(service).toMatch(/^SystemCallErrorNumber=EPERM$/m);
  });
});
