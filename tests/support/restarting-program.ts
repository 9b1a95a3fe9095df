import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { NODE_FLAGS } from "../../app/tooling/node-flags.mjs";
import { childEnvironment } from "./child-environment.mjs";
import { freePorts } from "./ports.mjs";
import { untilReady } from "./ready.mjs";

const PROJECT = resolve(import.meta.dirname, "../..");

/** The built program, restarted as a service manager does it. */
export type RestartingProgram = {
  port: number;
  origin: string;
  output(): string;
  /** Stops it with SIGTERM, starts it again at once, and waits until it is ready; returns the exit code. */
  restart(): Promise<number | null>;
  stop(): Promise<number | null>;
};

/** A bound socket from which this process accepts nothing, as systemd holds it for a service. */
type HeldSocket = { fd: number; bind(host: string, port: number): number; close(): void };

/**
 * Starts the program on a port. With `isSocketHeld` it inherits a socket by systemd's protocol. This process keeps the
 * socket open through all restarts, and connections wait in it.
 */
export async function startRestartingProgram(
  variables: Record<string, string>,
  { isSocketHeld }: { isSocketHeld: boolean },
): Promise<RestartingProgram> {
  const port = await freePorts(1);
  const socket = isSocketHeld ? holdSocket(port) : null;
  const origin = `http://127.0.0.1:${port}`;
  let text = "";
  let child: ChildProcess;

  async function start(): Promise<void> {
    const node = [process.execPath, ...NODE_FLAGS, join(PROJECT, "build/index.js"), "serve"];
    // exec keeps the shell's pid, which the protocol requires
    const line = `${socket ? "export LISTEN_FDS=1 LISTEN_PID=$$; " : ""}exec "$@"`;
    child = spawn("sh", ["-c", line, "sh", ...node], {
      cwd: PROJECT,
      env: childEnvironment({
        RATE_LIMIT_FACTOR: "100000",
        LOG_LEVEL: "info",
        HOST: "127.0.0.1",
        PORT: String(port),
        ...variables,
      }),
      stdio: ["ignore", "pipe", "pipe", ...(socket ? [socket.fd] : [])],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    }
    await untilReady(origin, { child, output: () => text });
  }

  function end(): Promise<number | null> {
    const ended = new Promise<number | null>((done) => child.once("exit", done));
    child.kill("SIGTERM");
    return ended;
  }

  await start();
  return {
    port,
    origin,
    output: () => text,
    restart: async () => {
      const code = await end();
      await start();
      return code;
    },
    stop: async () => {
      const code = await end();
      socket?.close();
      return code;
    },
  };
}

/** Node's own servers would accept connections, and its public interface has no other sockets. */
function holdSocket(port: number): HeldSocket {
  const { TCP, constants } = (
    process as unknown as {
      binding(name: string): {
        TCP: new (type: number) => HeldSocket;
        constants: { SERVER: number };
      };
    }
  ).binding("tcp_wrap");
  const socket = new TCP(constants.SERVER);
  if (socket.bind("127.0.0.1", port) !== 0) throw new Error(`Port ${port} cannot be bound.`);
  return socket;
}
