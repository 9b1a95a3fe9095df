import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { OperatorError } from "~db/operator-error";

let secrets: string[] | undefined;

/**
 * The secrets that sign cookies, newest first: `SESSION_SECRET`, else one generated once into
 * `DATA_DIR/session-secret` (mode 0600). Throws an OperatorError if that file cannot be read or created.
 */
export function sessionSecrets(): string[] {
  secrets ??= env().SESSION_SECRET ?? [readOrCreateSecret()];
  return secrets;
}

function readOrCreateSecret(): string {
  const file = join(env().DATA_DIR, "session-secret");
  try {
    dataDirectory();
    try {
      // with "wx", two programs that start at once agree on one secret
      writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, {
        flag: "wx",
        mode: 0o600,
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const secret = readFileSync(file, "utf8").trim();
    if (secret.length < 32) throw new Error("it is shorter than 32 characters");
    return secret;
  } catch (error) {
    throw new OperatorError(
      `The session secret cannot be stored in ${file} (${(error as Error).message}): make DATA_DIR writable or set SESSION_SECRET.`,
    );
  }
}
