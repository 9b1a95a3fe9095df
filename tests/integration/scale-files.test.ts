import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseEnvironment } from "~/env.server";
import { SETTING_NAMES } from "~/environment/schema.server";

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
    /(?<!\$)\$\{(\w+)(?::\?[^}]*)?\}/g,
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
