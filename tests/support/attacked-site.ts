import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type AgentOptions } from "node:http";
import { join, resolve } from "node:path";
import { Visitor } from "./http-client";
import type { NetworkNamespace } from "./network-namespace";
import { freePorts } from "./ports";
import { startProgram, temporaryDirectory } from "./program";
import { METRICS_TOKEN, readMetric } from "./program-site";

const script = (name: string) => resolve(import.meta.dirname, name);

/** What attackers do; see `network-attacker.mjs`. */
export type Attack = {
  kind: "connections" | "log-ins" | "pages";
  addresses: string[];
  atOnce: number;
  email?: string;
};

/** How often each thing happened to an attacker: an answer's status, `connected`, `failed`. */
export type Outcomes = Record<string, number>;

/** The built program in a network namespace, with visitors and attackers of any of its addresses. */
export type AttackedSite = {
  visitor(address: string): Visitor;
  /** Begins an attack; `stop` ends it, as often as it is called, and says what came of it. */
  attack(attack: Attack): { stop(): Promise<Outcomes> };
  metric(name: string): Promise<number>;
  close(): Promise<void>;
};

/** Starts the program at default limits, all addresses of the namespace its own; `visitors` are theirs. */
export async function startAttackedSite(
  { enter }: NetworkNamespace,
  visitors: string[],
): Promise<AttackedSite> {
  const data = temporaryDirectory();
  const port = await freePorts(2);
  const doors = new Map(visitors.map((address, i) => [address, join(data.path, `${i}.sock`)]));
  const children: ChildProcess[] = [];

  function run(name: string, ...parameters: string[]): ChildProcess {
    const [file, ...rest] = [...enter, process.execPath, script(name), ...parameters] as const;
    const child = spawn(file, rest, { stdio: ["pipe", "pipe", "inherit"] });
    children.push(child);
    return child;
  }
  function agentOf(address: string): Agent {
    // Node's agents hand this on to the connection; their types do not know it
    return new Agent({ socketPath: doors.get(address) } as AgentOptions);
  }

  const own = visitors[0] ?? "";
  const forwarder = run(
    "network-forwarder.mjs",
    String(port),
    ...[...doors].map(([address, path]) => `${address}=${path}`),
  );
  await once(forwarder.stdout as NodeJS.ReadableStream, "data");
  const program = await startProgram({
    variables: {
      PORT: String(port),
      HOST: "::",
      DATA_DIR: data.path,
      PAYMENTS: "sandbox",
      RATE_LIMIT_FACTOR: "1",
      METRICS_TOKEN,
      LOG_LEVEL: "warn",
    },
    within: { enter, agent: agentOf(own) },
  });
  const { origin } = program;
  return {
    visitor: (address) => new Visitor(origin, {}, origin, agentOf(address)),
    metric: (name) => readMetric(origin, name, {}, agentOf(own)),
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
    close: async () => {
      await program.stop();
      for (const child of children) child.stdin?.end();
      data.remove();
    },
  };
}
