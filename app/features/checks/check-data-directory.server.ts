import { statSync } from "node:fs";
import { join } from "node:path";
import { env } from "~/env.server";
import { isOpenToOthers, requireWritable } from "~db/data-directory";
import { type Answer, ok, problem, warning } from "./answer";
import { diskOf, FREE_SHARE, formatBytes, readDiskSpace } from "./disk-space.server";

/** Files in DATA_DIR that only the site's user may read. */
const SECRETS = ["session-secret", "stripe-sandbox.json", "postgres/golden-path.password"];

/** Minimum length that the site requires at startup. */
const SECRET_LENGTH = 32;

/** Free share of a disk below which making room is urgent. */
const URGENT_SHARE = 0.05;

/** Checks that DATA_DIR exists, is writable and is closed to others. Writes and removes one small file. */
export async function checkDataDirectory(): Promise<Answer[]> {
  const { DATA_DIR, SESSION_SECRET } = env();
  const folder = statSync(DATA_DIR, { throwIfNoEntry: false });
  if (!folder) {
    const advice =
      "Start the site, which creates it; if it existed before, mount its disk or correct DATA_DIR.";
    return [warning("DATA_DIR", `${DATA_DIR} doesn't exist`, advice)];
  }
  try {
    await requireWritable(DATA_DIR);
  } catch (error) {
    const [found = "", ...advice] = (error as Error).message.split(/(?<=\.) /);
    const ownAdvice = "Make it writable for the user the site runs as.";
    return [problem("DATA_DIR", found.replace(/\.$/, ""), advice.join(" ") || ownAdvice)];
  }
  return [
    ok("DATA_DIR", "can be written"),
    ...(SESSION_SECRET ? [] : checkSecret(join(DATA_DIR, "session-secret"))),
    checkAccess(DATA_DIR, folder.uid),
  ];
}

function checkSecret(file: string): Answer[] {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? null;
  if (size === null) {
    const advice =
      "Start the site; if it ran before, restore DATA_DIR from a backup, or everyone has to log in again.";
    return [warning("session-secret", "not made yet", advice)];
  }
  if (size >= SECRET_LENGTH) return [];
  const advice =
    "Restore it from a backup, or delete it and restart the site: everyone has to log in again.";
  return [problem("session-secret", "is damaged", advice)];
}

function checkAccess(folder: string, uid: number): Answer {
  const what = "access";
  const secrets = SECRETS.flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats ? [{ name, stats }] : [];
  });
  const open = secrets.filter(({ stats }) => (stats.mode & 0o077) !== 0).map(({ name }) => name);
  if (open.length > 0) {
    const paths = open.map((name) => join(folder, name)).join(" ");
    const advice = `Close it: chmod 600 ${paths}; then replace its contents if others use this machine.`;
    return problem(what, `other users can read ${open.join(", ")}`, advice);
  }
  const foreign = secrets.find(({ name, stats }) => !name.includes("/") && stats.uid !== uid)?.name;
  if (foreign) {
    const advice = `Give it back: chown --reference=${folder} ${join(folder, foreign)}`;
    return problem(what, `${foreign} belongs to a different user than DATA_DIR`, advice);
  }
  if (isOpenToOthers(folder)) {
    return problem(what, "other users can read DATA_DIR", `Close it: chmod go-rwx ${folder}`);
  }
  return ok(what, "closed to other users");
}

/** Checks the free space on the disks of DATA_DIR, the edition and the backups, each disk once. */
export async function checkDisks(): Promise<Answer[]> {
  const { DATA_DIR, CONTENT_DIR, BACKUP_DIR } = env();
  const seen = new Set<number>();
  const answers: Answer[] = [];
  for (const [name, folder] of Object.entries({ DATA_DIR, CONTENT_DIR, BACKUP_DIR })) {
    const disk = folder === undefined ? null : await diskOf(folder);
    if (folder === undefined || disk === null || seen.has(disk)) continue;
    seen.add(disk);
    answers.push(await checkDisk(name, folder));
  }
  return answers;
}

async function checkDisk(what: string, folder: string): Promise<Answer> {
  const { bytes, share, filesShare } = await readDiskSpace(folder);
  const free = Math.min(share, filesShare);
  const judge = free < URGENT_SHARE ? problem : warning;
  if (free >= FREE_SHARE.low) return ok(what, `${formatBytes(bytes)} free, ${percent(share)}`);
  if (filesShare < share) {
    const advice = `Delete what the disk of ${folder} has too many of (find … | wc -l): small files use up its inodes.`;
    return judge(what, `${percent(filesShare)} of its files are free`, advice);
  }
  const advice = `Free up space on the disk of ${folder} (du -xsh shows what fills it), or enlarge it.`;
  return judge(what, `${formatBytes(bytes)} free, ${percent(share)}`, advice);
}

const percent = (share: number) => `${Math.floor(share * 100)} %`;
