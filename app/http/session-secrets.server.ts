import { randomBytes } from "node:crypto";
import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { explainDataDirectoryFailure } from "~db/data-directory";
import { OperatorError } from "~db/operator-error";

/** Minimum length of a secret, in characters. */
const MIN_LENGTH = 32;

let stored: { file: string; secret: string } | undefined;

/**
 * The secrets that sign cookies, newest first: `SESSION_SECRET`, else one generated once into
 * `DATA_DIR/session-secret` (mode 0600). Throws an OperatorError if that file cannot be read or created.
 */
export function sessionSecrets(): string[] {
  const { SESSION_SECRET, DATA_DIR } = env();
  if (SESSION_SECRET) return SESSION_SECRET;
  const file = join(DATA_DIR, "session-secret");
  if (stored?.file !== file) stored = { file, secret: readOrCreateSecret(file) };
  return [stored.secret];
}

/** Whether there is a secret already, so that none has to be created. */
export function hasSessionSecret(): boolean {
  const { SESSION_SECRET, DATA_DIR } = env();
  const file = join(DATA_DIR, "session-secret");
  return SESSION_SECRET !== undefined || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function readOrCreateSecret(file: string): string {
  try {
    dataDirectory();
    // a full disk may have left an empty one
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) createSecret(file);
    const secret = readFileSync(file, "utf8").trim();
    if (secret.length < MIN_LENGTH) {
      throw new OperatorError(
        `The session secret in ${file} is shorter than ${MIN_LENGTH} characters: put back the one that was there, or delete the file, and the next start makes another, which logs everyone out.`,
      );
    }
    return secret;
  } catch (error) {
    const explained = explainDataDirectoryFailure(env().DATA_DIR, error);
    if (explained instanceof OperatorError) throw explained;
    throw new OperatorError(
      `The session secret cannot be stored in ${file} (${(error as Error).message}): make DATA_DIR writable or set SESSION_SECRET.`,
      { cause: error },
    );
  }
}

/** Writes the file under another name first, so that of two programs that start at once, only one creates it. */
function createSecret(file: string): void {
  const unfinished = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(unfinished, `${randomBytes(32).toString("base64url")}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true });
    linkSync(unfinished, file);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    // a file system without hard links, such as a shared folder of Docker Desktop
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/.test(code)) throw error;
    if (!existsSync(file)) renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
