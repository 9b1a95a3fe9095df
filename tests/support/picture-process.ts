import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const program = createRequire(import.meta.url).resolve("#picture-process");

/** The outcome of the picture process for a file, with the resources it used. */
export type Run = {
  outcome: "made" | "unsupported" | "too many pixels" | "too elongated" | "unreadable";
  /** Peak memory in megabytes, beyond that of an idle Node process. */
  megabytes: number;
  /** Processor time from start to end, in milliseconds, which a busy machine hardly changes. */
  milliseconds: number;
};

const OUTCOMES: Record<number, Run["outcome"]> = {
  0: "made",
  10: "unsupported",
  11: "too many pixels",
  12: "too elongated",
};

/** Runs the process and reads its memory and time from /proc, which Linux has. */
export async function runPictureProcess(file: Uint8Array): Promise<Run> {
  const { code, peak, milliseconds } = await run([program], file);
  const outcome = OUTCOMES[code ?? -1] ?? "unreadable";
  return { outcome, megabytes: peak - (await peakOfNode()), milliseconds };
}

let nodePeak: Promise<number> | undefined;

function peakOfNode(): Promise<number> {
  nodePeak ??= run(["--eval", "process.stdin.resume()"], new Uint8Array()).then(({ peak }) => peak);
  return nodePeak;
}

async function run(args: string[], input: Uint8Array) {
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "ignore", "ignore"],
    env: { NODE_ENV: "production" },
  });
  let peak = 0;
  let milliseconds = 0;
  const measure = () => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "latin1");
      // in KB; gone once the process has ended
      const highest = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
      peak = Math.max(peak, highest / 1e6);
      const fields = readFileSync(`/proc/${child.pid}/stat`, "latin1").split(") ")[1]?.split(" ");
      // in hundredths of a second
      milliseconds = 10 * (Number(fields?.[11]) + Number(fields?.[12]));
    } catch {
      // it has ended
    }
  };
  const timer = setInterval(measure, 2);
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  return { code, peak, milliseconds };
}
