import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { eventually } from "./eventually";
import { send } from "./http-client";
import { serverProgram } from "./server-programs.mjs";

const CONFIGURATION = resolve(import.meta.dirname, "../../docs/deploy/Caddyfile.scale");

/** The part that resolves the sites' names, for which a test's machine has no name server. */
const FOUND_BY_NAME = /dynamic a \{[^}]*\{\$SITE_UPSTREAM:site\}[^}]*\}[^}]*\}[^}]*\}/;

/** Starts Caddy with docs/deploy/Caddyfile.scale, with fixed upstream addresses and without TLS. */
export async function startBalancer(
  port: number,
  sitePorts: number[],
): Promise<{ stop(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), "golden-path-balancer-"));
  const text = readFileSync(CONFIGURATION, "utf8");
  if (!FOUND_BY_NAME.test(text)) throw new Error("Caddyfile.scale does not find sites by name.");
  const sites = sitePorts.map((site) => `127.0.0.1:${site}`).join(" ");
  const file = join(home, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n}\n${text.replace(FOUND_BY_NAME, `to ${sites}`)}`);
  let output = "";
  const caddy = spawn(
    serverProgram("caddy") ?? "caddy",
    ["run", "--config", file, "--adapter", "caddyfile"],
    {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_DATA_HOME: home,
        XDG_CONFIG_HOME: home,
        CADDY_ADDRESSES: `http://localhost:${port}`,
      } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  caddy.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  await eventually(async () => {
    if (caddy.exitCode !== null) throw new Error(`Caddy ended: ${output}`);
    const { status } = await send(`http://localhost:${port}/healthz`);
    if (status !== 200) throw new Error(`Caddy answers ${status}: ${output}`);
  });
  return {
    stop: async () => {
      const ended = new Promise((done) => caddy.once("exit", done));
      if (caddy.exitCode === null && caddy.kill("SIGKILL")) await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
