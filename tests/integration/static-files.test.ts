import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { StaticFiles } from "~/server/static-files.server";
import { send } from "../support/http-client";

const root = mkdtempSync(join(tmpdir(), "golden-path-files-"));
let files: StaticFiles;
let server: Server;
let origin: string;

beforeAll(async () => {
  setEnvironment({});
  const write = (name: string, text: string) => writeFileSync(join(root, "public", name), text);
  mkdirSync(join(root, "public/build/_shared"), { recursive: true });
  mkdirSync(join(root, "public/.git"));
  write("icon.svg", "<svg/>");
  write("trail.map.svg", "<svg/>");
  write("NOTICE", "free");
  write("favicon.ico", "an icon");
  write("build/_shared/chunk-1.js", "plain()");
  write("build/_shared/chunk-1.js.br", "as brotli");
  write("build/_shared/chunk-1.js.gz", "as gzip");
  write("build/_shared/chunk-1.js.map", "{}");
  write(".hidden", "secret");
  write(".git/config", "secret");
  writeFileSync(join(root, "package.json"), "{}");
  files = new StaticFiles(root);
  server = createServer((request, response) => {
    if (!files.answer(request, response, request.url ?? "")) response.writeHead(299).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  send(origin + path, { method, headers });
const CHUNK = "/build/_shared/chunk-1.js";

describe("a file", () => {
  it("of the build is sent in an accepted encoding, cacheable forever", async () => {
    const takes = async (encodings: string) =>
      (await get(CHUNK, { "Accept-Encoding": encodings })).text;
    expect(await takes("gzip, br")).toBe("as brotli");
    expect(await takes("gzip, br;q=0")).toBe("as gzip");
    expect(await takes("identity")).toBe("plain()");
    const { headers } = await get(CHUNK, { "Accept-Encoding": "br" });
    expect(headers).toMatchObject({
      "content-encoding": "br",
      "content-length": "9",
      "content-type": "text/javascript",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
  });

  it("of the site is cacheable for a day, and has one encoding", async () => {
    const { status, text, headers } = await get("/icon.svg", { "Accept-Encoding": "br" });
    expect([status, text, headers["content-type"]]).toEqual([200, "<svg/>", "image/svg+xml"]);
    expect(headers["cache-control"]).toBe("public, max-age=86400");
    expect(headers).not.toHaveProperty("vary");
    expect(headers).not.toHaveProperty("content-encoding");
  });

  // rspamd/rspamd#4302: with nosniff, an icon without a picture's type is not shown
  it.each([
    ["/trail.map.svg", "image/svg+xml", "cross-origin"],
    ["/favicon.ico", "image/vnd.microsoft.icon", "cross-origin"],
    ["/NOTICE", "application/octet-stream", "cross-origin"],
    [CHUNK, "text/javascript", "same-origin"],
  ])("%s is sent as %s to pages of %s", async (path, type, policy) => {
    const { status, headers } = await get(path);
    expect([status, headers["content-type"]]).toEqual([200, type]);
    expect(headers["cross-origin-resource-policy"]).toBe(policy);
  });

  it("is not sent again to a client that has it", async () => {
    const { headers } = await get(CHUNK, { "Accept-Encoding": "br" });
    const again = await get(CHUNK, {
      "Accept-Encoding": "br",
      "If-None-Match": String(headers.etag),
    });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("is answered for HEAD with its headers only", async () => {
    const { status, text, headers } = await get(CHUNK, {}, "HEAD");
    expect([status, text, headers["content-length"]]).toEqual([200, "", "7"]);
  });
});

it.each([
  `${CHUNK}.br`,
  `${CHUNK}.map`,
  "/.hidden",
  "/.git/config",
  "/../package.json",
  "/%2e%2e/package.json",
  "/build",
  "/build/",
  "/icon.svg/",
])("there is no file at %s", async (path) => {
  expect((await get(path)).status).toBe(299);
});

it("a POST to a file is passed on", async () => {
  expect((await get("/icon.svg", {}, "POST")).status).toBe(299);
});
