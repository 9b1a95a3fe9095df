import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseEnvironment } from "~/env.server";
import { SETTING_NAMES } from "~/environment/schema.server";

const root = resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

type Service = {
  image: string;
  environment: Record<string, string>;
  ports: string[];
  volumes: string[];
  read_only: boolean;
};

type FlyFile = {
  env: Record<string, string>;
  build: Record<string, string>;
  mounts: { destination: string };
  http_service: unknown;
};

type RenderService = {
  envVars: { key: string; value?: string }[];
  disk: { mountPath: string };
  healthCheckPath: string;
};

/** Returns compose.yaml with its variables filled in, as Compose does from .env. */
function compose(variables: Record<string, string>): Record<string, Service> {
  const filled = (text: string): string => {
    const next = text.replace(
      /\$\{(\w+):-((?:[^{}]|\{[^{}]*\})*)\}/g,
      (_all, name: string, otherwise: string) => variables[name] ?? otherwise,
    );
    return next === text ? text : filled(next);
  };
  return parse(filled(read("compose.yaml")), { merge: true }).services;
}

describe("compose.yaml", () => {
  const services = compose({ PUBLIC_URL: "https://goldenpath.example" });

  it("gives the site settings that it accepts, for Caddy in front", () => {
    const { PORT, PUBLIC_URL, TRUST_PROXY } = parseEnvironment(services.site?.environment ?? {});
    expect({ PORT, PUBLIC_URL, TRUST_PROXY }).toEqual({
      PORT: 3000,
      PUBLIC_URL: "https://goldenpath.example",
      TRUST_PROXY: 1,
    });
    expect(parseEnvironment(services.sandbox?.environment ?? {}).SANDBOX?.port).toBe(3001);
    // values from .env take precedence
    const counted = compose({ TRUST_PROXY: "2" }).site?.environment;
    expect(parseEnvironment(counted ?? {}).TRUST_PROXY).toBe(2);
  });

  it("works without settings, under a name with a certificate of Caddy's own", () => {
    const { caddy, site } = compose({});
    expect(caddy?.environment.CADDY_ADDRESSES).toBe("https://localhost");
    expect(site?.environment.PUBLIC_URL).toBe("https://localhost");
  });

  it("mounts the Caddyfile, which reads each variable that it sets", () => {
    const { caddy } = services;
    const file = caddy?.volumes.find((volume) => volume.includes("Caddyfile"))?.split(":")[0] ?? "";
    expect(existsSync(join(root, file))).toBe(true);
    expect(Object.keys(caddy?.environment ?? {})).toEqual(
      [...read(file).matchAll(/\{\$(\w+)/g)].map(([, name]) => name),
    );
    expect(caddy?.environment).toEqual({
      CADDY_ADDRESSES: "https://goldenpath.example",
      CADDY_UPSTREAM: `site:${services.site?.environment.PORT}`,
    });
  });

  it("mounts the folders for book, letters and backups, where golden-path looks for files", () => {
    const mounts = services.site?.volumes.filter((volume) => volume.startsWith("./"));
    expect(mounts).toEqual(["./content:/data/content", "./letters:/letters", "./backups:/backups"]);
    // the demonstration's data are its own
    expect(services.sandbox?.volumes).toEqual(["sandbox:/data"]);
  });

  it("takes the image that is named, and else one that only this machine can have", () => {
    const image = "ghcr.io/you/golden-path:1.2.3";
    expect(services.site?.image).toBe("golden-path");
    expect(compose({ GOLDEN_PATH_IMAGE: image }).site).toMatchObject({ image, build: "." });
  });

  it("opens only Caddy's ports to other machines, and makes only volumes writable", () => {
    for (const [name, { ports, read_only }] of Object.entries(services)) {
      const open = ports.filter((port) => !port.startsWith("127.0.0.1:"));
      expect([name, open]).toEqual([
        name,
        name === "caddy" ? ["80:80", "443:443", "443:443/udp"] : [],
      ]);
      expect(read_only, name).toBe(true);
    }
  });
});

describe("the files for hosts", () => {
  const fly = parseToml(read("docs/deploy/fly.toml")) as unknown as FlyFile;
  const [render] = parse(read("docs/deploy/render.yaml")).services as [RenderService];
  const variables: [string, Record<string, string>][] = [
    ["fly.toml", fly.env],
    [
      "render.yaml",
      Object.fromEntries(
        // Render asks for values that are missing
        render.envVars.map(({ key, value = "https://goldenpath.example" }) => [key, value]),
      ),
    ],
  ];

  it.each(variables)("give the site known and valid settings: %s", (_file, environment) => {
    expect(Object.keys(environment).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
    const { PORT, PUBLIC_URL, TRUST_PROXY } = parseEnvironment(environment);
    expect({ PORT, PUBLIC_URL, TRUST_PROXY }).toEqual({
      PORT: 3000,
      PUBLIC_URL: "https://goldenpath.example",
      TRUST_PROXY: 2,
    });
  });

  it("check the site's readiness, on its port, and keep its data on the disk", () => {
    expect(fly.http_service).toMatchObject({
      internal_port: Number(fly.env.PORT),
      auto_stop_machines: "off",
      checks: [{ path: "/readyz" }],
    });
    expect(fly.mounts.destination).toBe(fly.env.DATA_DIR);
    expect(render.healthCheckPath).toBe("/readyz");
    expect(render.disk.mountPath).toBe(render.envVars.find(({ key }) => key === "DATA_DIR")?.value);
    const stages = [...read("Dockerfile").matchAll(/^FROM \S+ AS (\S+)$/gm)].map(
      ([, name]) => name,
    );
    expect(stages).toContain(fly.build["build-target"]);
  });
});
