import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Finding } from "~/features/checks/answer";
import { send } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { type Program, runProgram, startProgram, temporaryDirectory } from "../../support/program";
import { PROXIES, SITE_HOST, startProxy } from "../../support/proxies";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

type Report = { ok: boolean; release: string; checkedAt: string; findings: Finding[] };

async function report(
  variables: Record<string, string>,
): Promise<Report & { code: number | null }> {
  const { code, stdout } = await runProgram({ command: ["doctor", "--json"], variables });
  return { code, ...(JSON.parse(stdout) as Report) };
}

const named = ({ findings }: Report, area: string, what: string) =>
  findings.find((finding) => finding.area === area && finding.what === what);

describe("doctor, without a site", () => {
  const data = temporaryDirectory();
  afterAll(() => data.remove());

  it("changes nothing on a machine where the site never ran", async () => {
    const DATA_DIR = join(data.path, "data");
    const PORT = String(await freePorts(1));
    const { code, findings } = await report({ DATA_DIR, PORT });
    expect(code).toBe(1);
    expect(findings.find(({ level }) => level === "problem")).toMatchObject({
      area: "site",
      found: `http://localhost:${PORT}: nothing listens there (ECONNREFUSED)`,
      advice: "Start the site.",
    });
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it("finishes when hosts do not answer", async () => {
    // reserved for documentation (RFC 5737): packets to it are lost, or rejected at once
    const nowhere = "192.0.2.1";
    const { code } = await report({
      DATA_DIR: data.path,
      PUBLIC_URL: `https://${nowhere}`,
      DATABASE_URL: `postgres://book@${nowhere}/book`,
      SMTP_URL: `smtp://${nowhere}`,
      MAIL_FROM: "letters@book.invalid",
      STRIPE_SECRET_KEY: "sk_test_x",
      STRIPE_PRICE_ID: "price_x",
      STRIPE_WEBHOOK_SECRET: "whsec_x",
      STRIPE_API_BASE: `https://${nowhere}`,
      BACKUP_S3_URL: `https://${nowhere}/bucket`,
      BACKUP_S3_ACCESS_KEY_ID: "id",
      BACKUP_S3_SECRET_ACCESS_KEY: "key",
    });
    expect(code).toBe(1);
  });
});

describe("doctor, beside a running site", () => {
  let site: Program;
  let variables: Record<string, string>;
  const data = temporaryDirectory();
  beforeAll(async () => {
    const PORT = String(await freePorts(2));
    // it listens on only one of localhost's two addresses
    variables = { DATA_DIR: data.path, PORT, PAYMENTS: "sandbox", HOST: "127.0.0.1" };
    site = await startProgram({ variables });
  });
  afterAll(async () => {
    await site?.stop();
    data.remove();
  });

  it("uses the site's embedded database, finds nothing broken, and prints one page", async () => {
    const { code, stdout } = await runProgram({ command: "doctor", variables });
    expect(stdout).toMatch(/Nothing is broken; \d warnings? \(!\)\./);
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeLessThan(45);
    expect(stdout).toMatch(/^✓ settings +variables: valid/);
    expect(stdout).toMatch(/^✓ database +server: PostgreSQL \d+\.\d+, embedded, /m);
    expect(stdout).toMatch(/^! backups +place: no backups are made\n +→ Set BACKUP_DIR/m);
    expect(stdout).toMatch(new RegExp(`^✓ site +PUBLIC_URL: ${site.origin} answers;`, "m"));
    expect(stdout).toMatch(/^✓ mail queue +site: 1 running/m);
    // no files are left, and the site still has its database
    expect(readdirSync(data.path).filter((name) => name.startsWith(".probe"))).toEqual([]);
    expect((await send(`${site.origin}/readyz`)).status).toBe(200);
  });

  it("recognizes the site by its secret", async () => {
    const SESSION_SECRET = "another secret of 32 characters or more";
    const found = await report({ ...variables, SESSION_SECRET });
    expect(named(found, "site", "PUBLIC_URL")).toMatchObject({
      level: "problem",
      found: `${site.origin} answers, but with another secret or data, or as an older release`,
    });
  });

  it("hides from others how requests arrive", async () => {
    for (const query of ["?probe=", `?probe=x&at=${Date.now()}`, "?probe=a.b&at=1"]) {
      expect((await send(`${site.origin}/healthz${query}`)).text).toBe("ok\n");
    }
  });
});

describe("doctor, behind a proxy configured as in docs/deploy/,", () => {
  const data = temporaryDirectory();
  const folder = mkdtempSync(join(tmpdir(), "golden-path-doctor-"));
  let site: Program;
  let port: number;
  beforeAll(async () => {
    port = await freePorts(1);
    const PUBLIC_URL = `https://${SITE_HOST}`;
    const variables = { DATA_DIR: data.path, PORT: String(port), TRUST_PROXY: "1", PUBLIC_URL };
    site = await startProgram({ variables });
    // a program keeps the first secret it reads
    vi.resetModules();
  });
  afterAll(async () => {
    await site?.stop();
    data.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const name of PROXIES) {
    const isInstalled = serverProgram(name) !== null && serverProgram("openssl") !== null;
    it.skipIf(!isInstalled)(`finds no fault with ${name}${unlessInstalled(name)}`, async () => {
      const proxy = await startProxy(name, folder, port);
      onTestFinished(() => proxy.stop());
      const { probeThrough } = await import("../../support/doctor-probe");
      const { arrival, findings } = await probeThrough(proxy, data.path);
      expect(arrival).toMatchObject({ host: SITE_HOST, client: "reported" });
      expect([null, "https"]).toContain(arrival.protocol);
      expect(findings).toEqual([
        { what: "Host", level: "ok", found: "passed on" },
        { what: "visitors' addresses", level: "ok", found: "reported by 1 proxy" },
      ]);
    });
  }
});
