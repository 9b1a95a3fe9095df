import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { send, Visitor } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

const CONFIGURATION = resolve(import.meta.dirname, "../../../docs/deploy/nginx-cache.conf");
const NAME = "goldenpath.example";

const canTest = serverProgram("nginx") !== null;

describe.skipIf(!canTest)(`behind nginx as a shared cache${unlessInstalled("nginx")}`, () => {
  let folder: string;
  let nginx: ChildProcess;
  let site: ProgramSite;
  let origin: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "golden-path-shared-cache-"));
    const port = await freePorts(1);
    origin = `http://127.0.0.1:${port}`;
    site = await startProgramSite({
      CDN_CACHE_SECONDS: "300",
      PUBLIC_URL: `http://${NAME}`,
      TRUST_PROXY: "1",
    });
    nginx = startNginx(folder, port, new URL(site.origin).port);
    await eventually(async () => expect((await ask("/healthz")).status).toBe(200));
    // importing the first edition clears the site's own cache
    await eventually(async () => expect((await ask("/preview/media/none")).status).toBe(404));
    // pages are only shared once the edition and the price are known
    await eventually(async () => {
      const { headers } = await send(`${site.origin}/newsletter/archive`, {
        headers: { Host: NAME },
      });
      expect(headers["cache-control"]).toContain("s-maxage");
    });
  });
  afterAll(async () => {
    nginx?.kill();
    await site?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const ask = (path: string, headers: Record<string, string> = {}) =>
    send(origin + path, { headers: { Host: NAME, ...headers } });
  const visitor = () => new Visitor(origin, { Host: NAME }, `http://${NAME}`);
  const outcome = async (path: string, headers = {}) => {
    const { status, headers: received } = await ask(path, headers);
    return [status, received["x-cache"]];
  };

  it("public pages come from the cache the second time, in each encoding", async () => {
    for (const encoding of ["identity", "br"]) {
      const headers = { "Accept-Encoding": encoding };
      await ask("/newsletter/archive", headers);
      expect(await outcome("/newsletter/archive", headers)).toEqual([200, "HIT"]);
    }
    const { headers } = await ask("/newsletter/archive");
    expect(headers["cache-control"]).toBe("public, max-age=0, must-revalidate, s-maxage=300");
    expect(headers["cdn-cache-control"]).toBe(
      "public, max-age=300, stale-while-revalidate=300, stale-if-error=86400",
    );
    expect(headers.vary).toBe("Accept-Encoding, Cookie");
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("a visitor who signs in gets their own pages at once, and others never do", async () => {
    await ask("/");
    const member = visitor();
    expect((await member.get("/")).text).toContain("Sign Up");
    expect((await member.get("/")).headers["x-cache"]).toBe("HIT");
    await member.signUp("his-own@example.test");
    for (let i = 0; i < 3; i++) {
      const own = await member.get("/");
      expect(own.text).toContain("his-own@example.test");
      expect(own.headers["x-cache"]).toBe("BYPASS");
      expect(own.headers["cache-control"]).toBe("private, no-store");
      expect(own.headers["cdn-cache-control"]).toBeUndefined();
      const anonymous = await ask("/");
      expect(anonymous.text).not.toContain("his-own@example.test");
      expect(anonymous.headers["x-cache"]).toBe("HIT");
    }
    await member.post("/logout", { form: {} });
    expect((await member.get("/")).text).not.toContain("his-own@example.test");
  });

  it("responses alone keep a cache that ignores cookies from mixing them", async () => {
    const member = visitor();
    await member.signUp("by-vary@example.test");
    // the responses that a cache without its own rules obeys
    const own = await send(`${site.origin}/`, { cookie: member.cookie, headers: { Host: NAME } });
    const anonymous = await send(`${site.origin}/`, { headers: { Host: NAME } });
    expect(own.headers["cache-control"]).toBe("private, no-store");
    expect(anonymous.headers.vary).toContain("Cookie");
  });

  it("a toast appears once, to its visitor only", async () => {
    const reader = visitor();
    await reader.post("/newsletter", { form: { email: "toast@example.test" } });
    expect((await reader.get("/")).text).toContain("🎉 Success!");
    expect((await reader.get("/")).text).not.toContain("🎉 Success!");
    expect((await ask("/")).text).not.toContain("🎉 Success!");
  });

  it.each(["/account", "/premium", "/healthz", "/readyz", "/nothing-here"])(
    "%s never comes from the cache",
    async (path) => {
      await ask(path);
      expect((await outcome(path))[1]).not.toBe("HIT");
    },
  );

  it("build files are cached for a year", async () => {
    const [file = ""] = /\/build\/[^"]+\.css/.exec((await ask("/")).text) ?? [];
    await ask(file);
    const { headers } = await ask(file);
    expect(headers["x-cache"]).toBe("HIT");
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  });

  // last, because it stops the site
  it("pages are still served while the site is down", async () => {
    await ask("/auth");
    await site.program.stop();
    expect((await ask("/auth")).status).toBe(200);
    expect((await ask("/")).status).toBe(200);
  });
});

/** Starts nginx with docs/deploy/nginx-cache.conf, unchanged except for addresses and folders. */
function startNginx(folder: string, port: number, sitePort: string): ChildProcess {
  let text = readFileSync(CONFIGURATION, "utf8");
  for (const [pattern, replacement] of [
    [/listen 80;/, `listen 127.0.0.1:${port};`],
    [/127\.0\.0\.1:3000/, `localhost:${sitePort}`],
    [/\/var\/lib\/nginx\/golden-path/, join(folder, "cache")],
  ] as const) {
    if (!pattern.test(text))
      throw new Error(`nginx-cache.conf has nothing that matches ${pattern}.`);
    text = text.replace(pattern, replacement);
  }
  const file = join(folder, "site.conf");
  writeFileSync(file, text);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const isRoot = process.getuid?.() === 0;
  const main = join(folder, "main.conf");
  writeFileSync(
    main,
    `daemon off; pid ${join(folder, "pid")}; error_log stderr warn; ${isRoot ? "user root;" : ""} worker_processes 1;
     events { worker_connections 512; }
     http { access_log off; ${folders.join(" ")} include ${file}; }`,
  );
  return spawn(serverProgram("nginx") ?? "nginx", ["-c", main, "-p", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
