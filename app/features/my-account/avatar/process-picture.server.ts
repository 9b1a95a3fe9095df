import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { BoundedQueue, QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";
import type { PictureRefusal } from "./picture-rules";

/** Maximum duration of processing, in milliseconds. The process's own CPU limit is far lower. */
const TIMEOUT_MS = 10_000;

/** Maximum bytes of output, which is two small pictures. */
const MAX_OUTPUT = 1024 * 1024;

/** One at a time, to bound memory; waiting tasks hold their uploads of up to 5 MB. */
const queue = new BoundedQueue({ concurrency: 1, maxTasks: 14 });

/** Refusals by exit code of `picture-process.mjs`. */
const REFUSAL_OF: Record<number, PictureRefusal> = {
  10: "unsupported",
  11: "too-many-pixels",
  12: "too-elongated",
};

/** Two square WebP pictures without metadata, 80 and 256 pixels wide. */
export type Pictures = { small: Buffer; large: Buffer };

export type PictureOutcome =
  | ({ kind: "made" } & Pictures)
  | { kind: "refused"; reason: PictureRefusal }
  /** Too many pictures are waiting. */
  | { kind: "busy" };

/**
 * Makes an account's pictures from an uploaded file, in a separate process, one at a time. Throws if that process
 * cannot be started.
 */
export async function processPicture(
  file: Uint8Array,
  clientAddress: string | undefined,
): Promise<PictureOutcome> {
  try {
    return await queue.run(clientNetworks(clientAddress), () => runProcess(file));
  } catch (error) {
    if (error instanceof QueueFull) return { kind: "busy" };
    throw error;
  }
}

const packageRequire = createRequire(import.meta.url);

function runProcess(file: Uint8Array): Promise<PictureOutcome> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [packageRequire.resolve("#picture-process")],
      {
        encoding: "buffer",
        maxBuffer: MAX_OUTPUT,
        timeout: TIMEOUT_MS,
        killSignal: "SIGKILL",
        // without the site's settings, which contain secrets
        env: { NODE_ENV: "production", MALLOC_ARENA_MAX: "2" },
        windowsHide: true,
      },
      (error, output, errors) => {
        if (!error) return resolve({ kind: "made", ...splitOutput(output) });
        const { code, signal } = error;
        const reason = typeof code === "number" ? REFUSAL_OF[code] : undefined;
        if (reason) return resolve({ kind: "refused", reason });
        // a string such as ENOENT means that it could not be started
        if (typeof code === "string") return reject(error);
        const facts = { code, signal, message: errorLine(errors) };
        log().warn(facts, "a picture could not be read");
        resolve({ kind: "refused", reason: "unreadable" });
      },
    );
    // the process may end before it has read all input
    child.stdin?.on("error", () => {});
    child.stdin?.end(file);
  });
}

function splitOutput(output: Buffer): Pictures {
  const end = 4 + output.readUInt32BE(0);
  return { small: output.subarray(4, end), large: output.subarray(end) };
}

/** Returns the decoder's error message, which quotes nothing from the file. */
function errorLine(errors: Buffer): string | undefined {
  return /^\w*Error:.*$/m.exec(errors.toString("utf8"))?.[0].slice(0, 200);
}
