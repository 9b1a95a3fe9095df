import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseEnvironment } from "~/env.server";
import { SETTING_NAMES } from "~/environment/schema.server";
import { serverProgram, unlessInstalled } from "../support/server-programs.mjs";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("compose.scale.yaml", () => {
  const text = read("compose.scale.yaml");
  const secrets = Object.fromEntries(
    [...read("docs/deploy/scale.env").matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value]) => [
      name,
      value || `${name}-0123456789abcdef0123456789abcdef`,
    ]),
  );
  const filled = text.replace(
    /(?<!\$)\$\{(\w+)(?::[?-][^}]*)?\}/g,
    (_all, name: string) => secrets[name] ?? `(${name} is not in scale.env)`,
  );
  const { services, configs } = parse(filled, { merge: true });

  it("asks for nothing that scale.env does not name, and has no secret of its own", () => {
    expect(filled).not.toContain("is not in scale.env");
    for (const name of Object.keys(secrets)) expect(text).toContain(`\${${name}`);
  });

  it("gives the sites settings that they accept, the same for all, and both servers of the database", () => {
    const { environment } = services.site;
    expect(Object.keys(environment).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
    const { DATABASE_URL, TRUST_PROXY, PUBLIC_URL } = parseEnvironment(environment);
    expect(DATABASE_URL).toContain("@pgbouncer-1:6432,pgbouncer-2:6432/golden_path");
    expect({ TRUST_PROXY, PUBLIC_URL }).toEqual({
      TRUST_PROXY: 1,
      PUBLIC_URL: "https://goldenpath.example",
    });
    expect(environment.SESSION_SECRET).toBe(secrets.SESSION_SECRET);
  });

  it("starts both servers of the database alike, each knowing the other, and one as the primary", () => {
    const [one, two] = [services["postgres-1"], services["postgres-2"]];
    const { SELF, OTHER, ...rest } = one.environment;
    expect(two.environment).toEqual({ ...rest, SELF: OTHER, OTHER: SELF });
    expect([SELF, OTHER]).toEqual(["postgres-1", "postgres-2"]);
    expect(rest.PRIMARY).toBe("postgres-1");
    for (const server of [one, two]) {
      expect(server.entrypoint).toEqual(["bash", "/start.sh"]);
      expect(server.configs).toEqual([
        { source: "start.sh", target: "/start.sh" },
        { source: "primary.sh", target: "/docker-entrypoint-initdb.d/primary.sh" },
      ]);
    }
    for (const name of read("docs/deploy/postgres-primary.sh").matchAll(/^\\getenv \w+ (\w+)$/gm)) {
      expect(Object.keys(rest)).toContain(name[1]);
    }
  });

  it("starts nothing else with more sites, as it says itself", () => {
    expect(text).toMatch(/up --detach --no-deps --scale site=4 site$/m);
  });

  it("puts each PgBouncer before its own server, by names that the file it changes has", () => {
    for (const number of [1, 2]) {
      const { environment, command } = services[`pgbouncer-${number}`];
      expect(environment.SERVER).toBe(`postgres-${number}`);
      for (const replaced of ["host=127.0.0.1/", "/etc/pgbouncer/"]) {
        expect(command[2]).toContain(replaced);
        expect(read("docs/deploy/pgbouncer.ini")).toContain(replaced.replace(/1\/$/, "1"));
      }
    }
  });

  it("takes its configurations from files that are there, and opens only Caddy's ports", () => {
    for (const { file } of Object.values<{ file: string }>(configs)) {
      expect(existsSync(join(root, file)), file).toBe(true);
    }
    const open = Object.entries<{ ports?: string[] }>(services).filter(([, { ports }]) => ports);
    expect(open.map(([name]) => name)).toEqual(["caddy"]);
  });
});

const caddy = serverProgram("caddy");

it.skipIf(!caddy)(
  `Caddy believes a CDN once its line is uncommented${unlessInstalled("caddy")}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "golden-path-scale-files-"));
    try {
      const trusted = (text: string) => {
        const file = join(folder, "Caddyfile");
        writeFileSync(file, text);
        const adapted = execFileSync(
          caddy ?? "caddy",
          ["adapt", "--adapter", "caddyfile", "--config", file],
          {
            env: { ...process.env, SITE_NAME: "goldenpath.example" },
            stdio: ["ignore", "pipe", "ignore"],
          },
        );
        return /"trusted_proxies":\[[^\]]*\]/.exec(adapted.toString())?.[0];
      };
      const text = read("docs/deploy/Caddyfile.scale");
      expect(trusted(text)).toBeUndefined();
      expect(trusted(text.replace("# trusted_proxies", "trusted_proxies"))).toBe(
        '"trusted_proxies":["192.0.2.0/24","2001:db8::/32"]',
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
