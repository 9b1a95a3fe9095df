import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseEnvironment } from "~/env.server";
import { SETTING_NAMES } from "~/environment/schema.server";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

const root = resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("compose.scale.yaml", () => {
  const text = read("compose.scale.yaml");
  const secrets = Object.fromEntries(
    [...read("docs/deploy/scale.env").matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value]) => [
      name,
      value || `${name}-0123456789abcdef0123456789abcdef`,
    ]),
  );
  const fill = (from: Record<string, string>): string => {
    // from the inside out, since a default may name another variable
    let filled = text;
    for (let before = ""; before !== filled; ) {
      before = filled;
      filled = filled.replace(
        /(?<!\$)\$\{(\w+)(?::([?-])([^{}]*))?\}/g,
        (_all, name: string, kind?: string, otherwise = "") =>
          from[name] ?? (kind === "-" ? otherwise : `(${name} is not in scale.env)`),
      );
    }
    return filled;
  };
  const filled = fill(secrets);
  const { services } = parse(filled, { merge: true });

  it("requires only variables of scale.env, and contains no secret", () => {
    expect(filled).not.toContain("is not in scale.env");
    for (const name of Object.keys(secrets)) expect(text).toContain(`\${${name}`);
  });

  it("gives all sites the same valid settings, with both database servers", () => {
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

  it("starts both database servers alike, each knowing the other, and one as the primary", () => {
    const [one, two] = [services["postgres-1"], services["postgres-2"]];
    const { SELF, OTHER, ...rest } = one.environment;
    expect(two.environment).toEqual({ ...rest, SELF: OTHER, OTHER: SELF });
    expect([SELF, OTHER]).toEqual(["postgres-1", "postgres-2"]);
    expect(rest.PRIMARY).toBe("postgres-1");
    for (const server of [one, two]) {
      expect(server.entrypoint).toEqual(["bash", "/start.sh"]);
      expect(server.init).toBe(true);
      expect(server.configs).toEqual([
        { source: "start.sh", target: "/start.sh" },
        { source: "primary.sh", target: "/docker-entrypoint-initdb.d/primary.sh" },
      ]);
    }
    for (const name of read("docs/deploy/postgres-primary.sh").matchAll(/^\\getenv \w+ (\w+)$/gm)) {
      expect(Object.keys(rest)).toContain(name[1]);
    }
  });

  it("keeps Caddy running while sites are replaced, with certificates for every name of the site", () => {
    const { caddy, site } = services;
    expect(caddy).not.toHaveProperty("depends_on");
    const variables = [...read("docs/deploy/Caddyfile.scale").matchAll(/\{\$(\w+)\}/g)];
    expect(Object.keys(caddy.environment)).toEqual(variables.map(([, name]) => name));
    expect(caddy.environment.CADDY_ADDRESSES.split(", ")).toEqual([
      site.environment.PUBLIC_URL,
      site.environment.PUBLIC_URL.replace("//", "//www."),
    ]);
    expect(caddy).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(caddy.cap_add).toEqual(["NET_BIND_SERVICE"]);
    // the paths that a read-only Caddy writes to
    expect(caddy.volumes).toEqual(["caddy:/data", "caddy-config:/config"]);
  });

  it("opens only Caddy's ports", () => {
    const open = Object.entries<{ ports?: string[] }>(services).filter(([, { ports }]) => ports);
    expect(open.map(([name]) => name)).toEqual(["caddy"]);
  });
});

const caddy = serverProgram("caddy");

it.skipIf(!caddy)(
  `Caddy trusts a CDN once its line is uncommented${unlessInstalled("caddy")}`,
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
            env: { ...process.env, CADDY_ADDRESSES: "https://goldenpath.example" },
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
