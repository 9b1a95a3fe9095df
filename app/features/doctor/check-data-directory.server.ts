import { randomBytes } from "node:crypto";
import { rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { env } from "~/env.server";
import { explainDataDirectoryFailure } from "~db/data-directory";
import { type AreaFinding, ok, problem, warning } from "./finding";
import { formatBytes } from "./format-bytes";
import type { Limits } from "./limits";

/** Files of DATA_DIR that only the site's user may read. */
const SECRETS = ["session-secret", "stripe-sandbox.json", "postgres/golden-path.password"];

/** The minimum length that the start requires. */
const SECRET_LENGTH = 32;

/** Whether DATA_DIR is there, can be written and is closed to others. Writes and removes one small file. */
export function checkDataDirectory(): AreaFinding[] {
  const { DATA_DIR, SESSION_SECRET } = env();
  const folder = statSync(DATA_DIR, { throwIfNoEntry: false });
  if (!folder) {
    return [
      warning(
        "DATA_DIR",
        `${DATA_DIR} does not exist`,
        "Start the site, which creates it; if it was there before, mount its disk, or correct DATA_DIR.",
      ),
    ];
  }
  const failure = failureToWrite(DATA_DIR);
  if (failure) return [failure];
  return [
    ok("DATA_DIR", "can be written"),
    ...(SESSION_SECRET ? [] : checkSecret(join(DATA_DIR, "session-secret"))),
    checkAccess(DATA_DIR, folder),
  ];
}

function failureToWrite(folder: string): AreaFinding | null {
  const probe = join(folder, `.probe-${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(probe, "x", { flag: "wx", mode: 0o600, flush: true });
    return null;
  } catch (error) {
    const { message } = explainDataDirectoryFailure(folder, error) as Error;
    const [found = message, ...advice] = message.split(/(?<=\.) /);
    return problem(
      "DATA_DIR",
      found.replace(/\.$/, ""),
      advice.join(" ") || "Make it writable for the user that the site runs as.",
    );
  } finally {
    rmSync(probe, { force: true });
  }
}

function checkSecret(file: string): AreaFinding[] {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? null;
  if (size === null) {
    return [
      warning(
        "session-secret",
        "not made yet",
        "Start the site; if it ran before, restore DATA_DIR from a backup, or everybody has to log in again.",
      ),
    ];
  }
  if (size >= SECRET_LENGTH) return [];
  return [
    problem(
      "session-secret",
      "is damaged",
      "Restore it from a backup, or delete it and restart the site: everybody has to log in again.",
    ),
  ];
}

function checkAccess(folder: string, { mode, uid }: Stats): AreaFinding {
  const what = "access";
  // under root, the database's own user must be able to pass through
  const others = process.getuid?.() === 0 || uid === 0 ? 0o066 : 0o077;
  const secrets = SECRETS.flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found ? [{ name, ...found, mode: found.mode, uid: found.uid }] : [];
  });
  const open = secrets.filter((file) => (file.mode & 0o077) !== 0).map(({ name }) => name);
  if (open.length > 0) {
    const paths = open.map((name) => join(folder, name)).join(" ");
    return problem(
      what,
      `other users can read ${open.join(", ")}`,
      `Close it: chmod 600 ${paths}; then replace what it holds, if others use this machine.`,
    );
  }
  const foreign = secrets.find((file) => !file.name.includes("/") && file.uid !== uid);
  if (foreign) {
    return problem(
      what,
      `${foreign.name} belongs to another user than DATA_DIR`,
      `Give it back: chown --reference=${folder} ${join(folder, foreign.name)}`,
    );
  }
  if ((mode & others) !== 0) {
    return problem(what, "other users can read DATA_DIR", `Close it: chmod go-rwx ${folder}`);
  }
  return ok(what, "closed to other users");
}

/** Room on the disks of DATA_DIR, of the edition and of the backups; each disk once. */
export async function checkDisks({ diskFree, diskFreeUrgent }: Limits): Promise<AreaFinding[]> {
  const { DATA_DIR, CONTENT_DIR, BACKUP_DIR } = env();
  const seen = new Set<number>();
  const findings: AreaFinding[] = [];
  for (const [name, folder] of Object.entries({ DATA_DIR, CONTENT_DIR, BACKUP_DIR })) {
    const disk =
      folder === undefined ? undefined : statSync(folder, { throwIfNoEntry: false })?.dev;
    if (folder === undefined || disk === undefined || seen.has(disk)) continue;
    seen.add(disk);
    const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
    // some file systems count no inodes
    const inodes = files > 0 ? ffree / files : 1;
    const share = blocks > 0 ? bavail / blocks : 1;
    const isFiles = inodes < share;
    const free = Math.min(inodes, share);
    const found =
      isFiles && free < diskFree
        ? `${percent(free)} of its files are free`
        : `${formatBytes(bavail * bsize)} free, ${percent(share)}`;
    const advice = isFiles
      ? `Delete what the disk of ${folder} holds in great numbers (find … | wc -l): small files use up its inodes.`
      : `Make room on the disk of ${folder} (du -xsh shows what fills it), or enlarge it.`;
    if (free >= diskFree) findings.push(ok(name, found));
    else
      findings.push(
        free < diskFreeUrgent ? problem(name, found, advice) : warning(name, found, advice),
      );
  }
  return findings;
}

const percent = (share: number) => `${Math.floor(share * 100)} %`;
