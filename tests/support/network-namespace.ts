import { spawn, spawnSync } from "node:child_process";
import { resolve } from "node:path";

/** Addresses of a namespace that stand for the internet's (RFC 5737): the machine's own and a visitor's. */
export const NAMESPACE = { server: "203.0.113.7", visitor: "198.51.100.8" };

const PREPARE = [
  "ip link set lo up",
  ...Object.values(NAMESPACE).map((address) => `ip address add ${address}/32 dev lo`),
].join(" && ");

/**
 * Whether a network namespace can be made here: by root where the system lets it. An ordinary user would
 * get one in which the embedded PostgreSQL has no user to run as.
 */
export function canMakeNetworkNamespace(): boolean {
  if (process.getuid?.() !== 0) return false;
  return spawnSync("unshare", ["--net", "sh", "-c", PREPARE]).status === 0;
}

/** Runs a script of this folder in a network of its own; gives what it printed, as JSON. */
export async function runInNamespace<Printed>(
  script: string,
  variables: Record<string, string>,
): Promise<Printed> {
  const child = spawn(
    "unshare",
    [
      "--net",
      "sh",
      "-c",
      `${PREPARE} && exec "$0" "$1"`,
      process.execPath,
      resolve(import.meta.dirname, script),
    ],
    { env: { ...process.env, ...variables }, stdio: ["ignore", "pipe", "inherit"] },
  );
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  const code = await new Promise((done) => child.once("close", done));
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${printed}`);
  return JSON.parse(printed) as Printed;
}
