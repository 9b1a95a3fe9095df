import { join, resolve } from "node:path";
import { readServerStatus } from "./embedded/postmaster-pid";
import { isAlive } from "./embedded/processes";
import { DATABASE, siteUrl, superuserUrl } from "./embedded/roles";
import { OperatorError } from "./operator-error";

/** The site's own role owns the database and everything in it; the superuser administers the server. */
export type EmbeddedRole = "site" | "superuser";

/**
 * The address of the embedded database in this data directory, password included, in libpq's form; null while no
 * program runs it. Starts nothing. Throws an OperatorError if this user may not read the directory.
 */
export async function findEmbeddedUrl(dataDir: string, role: EmbeddedRole): Promise<string | null> {
  const directory = join(resolve(dataDir), "postgres");
  try {
    const status = await readServerStatus(directory);
    if (!status?.address || status.phase !== "ready" || !(await isAlive(status.pid))) return null;
    return role === "site"
      ? await siteUrl({ directory }, status.address)
      : await superuserUrl({ directory }, status.address, DATABASE);
  } catch (error) {
    if (!isDenied(error) && !isDenied((error as Error).cause)) throw error;
    throw new OperatorError(
      `${directory} cannot be read by this user: run the command as the user the site runs as, or as root.`,
      { cause: error },
    );
  }
}

function isDenied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(String((error as NodeJS.ErrnoException | undefined)?.code));
}
