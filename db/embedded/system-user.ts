import { execFile } from "node:child_process";
import { chmod, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "../operator-error";

const run = promisify(execFile);

/** The user PostgreSQL runs as when this program is root; null for this program's own user. */
export type SystemUser = { name: string; uid: number; gid: number } | null;

/**
 * PostgreSQL refuses to run as root. Under root it therefore runs as the owner of an existing cluster, or
 * as the named system user, which is created if missing. Any other user runs it as itself, and only on
 * a cluster of its own. Throws an OperatorError when no user is suitable.
 */
export async function chooseSystemUser(clusterDir: string, name: string): Promise<SystemUser> {
  const owner = await ownerOf(clusterDir);
  const self = process.getuid?.();
  if (self === undefined) return null;
  if (self !== 0) {
    if (owner !== null && owner.uid !== self) {
      throw new OperatorError(
        `The database in ${clusterDir} belongs to user ${owner.uid}, but this program runs as user ${self}. Run it as that user, choose another DATA_DIR, or set DATABASE_URL.`,
      );
    }
    return null;
  }
  if (owner !== null && owner.uid !== 0) return { name: `user ${owner.uid}`, ...owner };
  const user = (await findUser(name)) ?? (await createUser(name));
  if (user === null) {
    throw new OperatorError(
      `PostgreSQL does not run as root, and there is no system user '${name}' to run it as, nor could one be created. Start this program as another user, create '${name}', or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  // The cluster was copied here by root, for example from a backup.
  if (owner !== null) await run("chown", ["-hR", `${user.uid}:${user.gid}`, clusterDir]);
  return user;
}

/**
 * Ensures that the user can enter DATA_DIR, if necessary by giving others execute permission on it (not
 * read). Throws an OperatorError that names the parent directory that denies access, if one does.
 */
export async function ensureUserAccess(dataDir: string, user: SystemUser): Promise<void> {
  if (user === null || (await canEnter(dataDir, user))) return;
  const { mode } = await stat(dataDir);
  await chmod(dataDir, mode | 0o011);
  if (await canEnter(dataDir, user)) return;
  let closed = await realpath(dataDir);
  for (let path = closed; path !== dirname(path); path = dirname(path)) {
    if (!(await canEnter(path, user))) closed = path;
  }
  throw new OperatorError(
    `PostgreSQL runs as system user '${user.name}', who may not enter ${closed}. Choose a DATA_DIR that user can reach, or set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

/** The options that make a child process run as this user. */
export function asUser(user: SystemUser): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch {
    return null;
  }
}

async function findUser(name: string): Promise<SystemUser> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

async function createUser(name: string): Promise<SystemUser> {
  const alternatives: [string, string[]][][] = [
    [["useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/bin/false", name]]],
    // BusyBox
    [
      ["addgroup", ["-S", name]],
      ["adduser", ["-S", "-D", "-H", "-G", name, "-s", "/bin/false", name]],
    ],
  ];
  for (const commands of alternatives) {
    try {
      for (const [command, parameters] of commands) await run(command, parameters);
      const user = await findUser(name);
      if (user !== null) return user;
    } catch {
      // Not available on this system, or not permitted; the caller reports it if no alternative works.
    }
  }
  return null;
}

async function canEnter(directory: string, user: NonNullable<SystemUser>): Promise<boolean> {
  try {
    await run("/bin/sh", ["-c", 'cd -- "$1"', "sh", directory], { cwd: "/", ...asUser(user) });
    return true;
  } catch {
    return false;
  }
}
