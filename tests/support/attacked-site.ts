import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type AgentOptions } from "node:http";
import { join, resolve } from "node:path";
import { Visitor } from "./http-client";
import type { NetworkNamespace } from "./network-namespace";
import { freePorts } from "./ports.mjs";
import { createTestDatabase } from "./postgres";
import { type Program, startProgram, temporaryDirectory } from "./program";
import { METRICS_TOKEN, readMetric } from "./program-site";

/** An attack as `network-attacker.mjs` runs it. */
export type Attack = {
  kind: "connections" | "pipelines" | "log-ins" | "pages";
  addresses: string[];
  concurrency: number;
};

/**
 * Counts by outcome (a response's status, `connected`, `failed`), and the average response time in
 * milliseconds.
 */
export type Outcomes = Record<string, number> & { averageMs: number };

/** The built program in a network namespace, with visitors and attackers at any of its addresses. */
export type AttackedSite = {
  visitor(address: string): Visitor;
  /** Starts an attack; `stop` ends it, idempotently, and returns its results. */
  attack(attack: Attack): { stop(): Promise<Outcomes> };
  metric(name: string): Promise<number>;
  close(): Promise<void>;
};

/** Starts the program at default limits, on all addresses of the namespace; `visitors` are some of them. */
export async function startAttackedSite(
  { enter }: NetworkNamespace,
  visitors: string[],
): Promise<AttackedSite> {
  const cleanUps: (() => unknown)[] = [];
  const cleanUp = async () => {
    for (const step of cleanUps.splice(0).reverse()) await step();
  };
  const data = temporaryDirectory();
  cleanUps.push(data.remove);
  const port = await freePorts(2);
  const doors = new Map(visitors.map((address, i) => [address, join(data.path, `${i}.sock`)]));

  function run(name: string, ...parameters: string[]): ChildProcess {
    const script = resolve(import.meta.dirname, name);
    const [file, ...rest] = [...enter, process.execPath, script, ...parameters] as const;
    const child = spawn(file, rest, { stdio: ["pipe", "pipe", "inherit"] });
    // these scripts end when their input is closed
    cleanUps.push(() => child.stdin?.end());
    return child;
  }
  function agentOf(address: string): Agent {
    // Node's agents pass `socketPath` on, but their types omit it
    return new Agent({ socketPath: doors.get(address) } as AgentOptions);
  }

  let program: Program;
  const ownAgent = agentOf(visitors[0] ?? "");
  try {
    const database = await createTestDatabase();
    cleanUps.push(database.drop);
    const paths = [...doors].map(([address, path]) => `${address}=${path}`);
    const forwarder = run("network-forwarder.mjs", String(port), ...paths);
    await once(forwarder.stdout as NodeJS.ReadableStream, "data");
    program = await startProgram({
      variables: {
        PORT: String(port),
        HOST: "::",
        DATA_DIR: data.path,
        // over a Unix socket, since a network namespace does not confine those
        DATABASE_URL: database.url,
        PAYMENTS: "sandbox",
        ALLOW_PUBLIC_SANDBOX: "true",
        RATE_LIMIT_FACTOR: "1",
        METRICS_TOKEN,
        LOG_LEVEL: "error",
      },
      within: { enter, agent: ownAgent },
    });
    cleanUps.push(() => program.stop());
  } catch (error) {
    await cleanUp();
    throw error;
  }
  const { origin } = program;
  return {
    visitor: (address) => new Visitor(origin, {}, origin, agentOf(address)),
    metric: (name) => readMetric(origin, name, {}, ownAgent),
    attack: (attack) => {
      const target = { port, name: new URL(origin).host };
      const child = run("network-attacker.mjs", JSON.stringify({ ...attack, target }));
      let text = "";
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const ended = once(child, "close");
      return {
        stop: async () => {
          child.stdin?.end();
          await ended;
          return JSON.parse(text) as Outcomes;
        },
      };
    },
    close: cleanUp,
  };
}
