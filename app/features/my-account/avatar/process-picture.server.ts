import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { BoundedQueue, QueueFull } from "~/http/bounded-queue.server";
import { clientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";
import type { PictureRefusal } from "./picture-rules";

/** Longest that making a picture may take, in milliseconds; it limits its processor time itself, far below. */
const TIMEOUT_MS = 10_000;

/** What comes back is two small pictures, in bytes. */
const MAX_OUTPUT = 1024 * 1024;

/** One at a time, whose memory is bounded; those that wait hold the 5 MB that were sent. */
const queue = new BoundedQueue({ concurrency: 1, maxTasks: 14 });

/** After how many seconds to try again if the queue was full. */
export const PICTURE_RETRY_SECONDS = 5;

/** By the exit codes of `picture-process.mjs`. */
const REFUSAL_OF: Record<number, PictureRefusal> = {
  10: "unsupported",
  11: "too-many-pixels",
  12: "too-elongated",
};

/** Two square pictures in WebP, without metadata: 80 and 256 pixels wide. */
export type Pictures = { small: Buffer; large: Buffer };

export type PictureOutcome =
  | ({ kind: "made" } & Pictures)
  | { kind: "refused"; reason: PictureRefusal }
  /** Too many pictures are waiting. */
  | { kind: "busy" };

/**
 * Makes the pictures of an account from a file that somebody has sent, in a process of its own, one at a time.
 * Throws if that process cannot be started.
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
        // none of the site's settings, which hold its secrets
        env: { NODE_ENV: "production", MALLOC_ARENA_MAX: "2" },
        windowsHide: true,
      },
      (error, output, errors) => {
        if (!error) return resolve({ kind: "made", ...splitOutput(output) });
        const { code, signal } = error;
        const reason = typeof code === "number" ? REFUSAL_OF[code] : undefined;
        if (reason) return resolve({ kind: "refused", reason });
        // by a string, such as ENOENT, if it could not be started
        if (typeof code === "string") return reject(error);
        const facts = { code, signal, message: lastLine(errors) };
        log().warn(facts, "a picture could not be read");
        resolve({ kind: "refused", reason: "unreadable" });
      },
    );
    // the process may end before it has read everything
    child.stdin?.on("error", () => {});
    child.stdin?.end(file);
  });
}

function splitOutput(output: Buffer): Pictures {
  const end = 4 + output.readUInt32BE(0);
  return { small: output.subarray(4, end), large: output.subarray(end) };
}

/** The decoder's own words, which come without anything of the file. */
function lastLine(errors: Buffer): string | undefined {
  return /^\w*Error:.*$/m.exec(errors.toString("utf8"))?.[0].slice(0, 200);
}
