import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../support/http-client";
import { openNetworkNamespace } from "../../support/network-namespace";
import { temporaryDirectory } from "../../support/program";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

const ATTEMPTS = 14;
/** A fifth of the log-ins allowed per address in a quarter of an hour; fewer subscriptions are allowed. */
const ALLOWED = 10;
const RATE_LIMIT_FACTOR = "0.2";

const count = (statuses: number[], status: number) =>
  statuses.filter((found) => found === status).length;

describe("forged client addresses", () => {
  let site: ProgramSite;
  beforeAll(async () => {
    site = await startProgramSite({ RATE_LIMIT_FACTOR, TRUST_PROXY: "192.0.2.10" });
  });
  afterAll(() => site?.close());

  const guess = (i: number, header: string) =>
    send(`${site.origin}/auth/login`, {
      json: { email: `reader-${i}@example.test`, password: "a guess" },
      headers: { [header]: `198.51.${i}.${i + 1}` },
    });

  it("win no further attempts for a client that is not the configured proxy, and are logged once", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < ATTEMPTS; i++) statuses.push((await guess(i, "X-Forwarded-For")).status);
    expect(count(statuses, 429)).toBeGreaterThanOrEqual(ATTEMPTS - ALLOWED);
    const told = site.program
      .output()
      .split("\n")
      .filter((line) => line.includes("TRUST_PROXY does not include"));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? "")).toMatchObject({ level: 40, header: "x-forwarded-for" });
  });
});

/** Public addresses for documentation (RFC 5737): the machine's own and a visitor's. */
const SERVER = "203.0.113.7";
const VISITOR = "198.51.100.8";
const opened = await openNetworkNamespace([SERVER, VISITOR]);
const namespace = "namespace" in opened ? opened.namespace : null;
const here =
  "reason" in opened
    ? `in a network of its own (skipped: ${opened.reason})`
    : "in a network of its own";

describe.skipIf(namespace === null)(here, () => {
  const data = temporaryDirectory();
  afterAll(() => {
    namespace?.close();
    data.remove();
  });

  it("a client that bypasses a counted proxy cannot evade the limits", async () => {
    const [command = "", ...enter] = namespace?.enter ?? [];
    const script = resolve(import.meta.dirname, "../../support/forge-addresses.mjs");
    const variables = {
      DATA_DIR: data.path,
      ATTEMPTS: String(ATTEMPTS),
      RATE_LIMIT_FACTOR,
      SERVER,
      VISITOR,
    };
    const { stdout } = await promisify(execFile)(command, [...enter, process.execPath, script], {
      env: { ...process.env, ...variables },
    });
    const { direct, proxied } = JSON.parse(stdout) as Record<"direct" | "proxied", number[]>;
    expect(count(direct, 429)).toBeGreaterThanOrEqual(ATTEMPTS - ALLOWED);
    // trusts the proxy itself, on this machine: every request is another visitor's
    expect(count(proxied, 200)).toBe(ATTEMPTS);
  });
});

describe("the documented ways to run the container", () => {
  const read = (file: string) =>
    readFileSync(resolve(import.meta.dirname, "../../..", file), "utf8");

  it("publish on loopback, so that the proxy cannot be bypassed", () => {
    const published = [
      ...(read("docs/deploying.md").match(/--publish [\d.:]+/g) ?? []).map(
        (option) => option.split(" ")[1],
      ),
      ...(read("compose.yaml").match(/^ {4}ports: .*$/gm) ?? []).flatMap(
        (line) => JSON.parse(line.replace(/^\s*ports: /, "")) as string[],
      ),
    ];
    expect(published.length).toBeGreaterThanOrEqual(4);
    // running without a proxy, and without TRUST_PROXY, is documented too
    const direct = published.filter((port) => !port?.startsWith("127.0.0.1:"));
    const caddys = ["80:80", "443:443", "443:443/udp"];
    expect(direct).toEqual(["3000:3000", ...caddys]);
  });
});
