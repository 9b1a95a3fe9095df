import pTimeout from "p-timeout";
import { env, shownSettings } from "~/env.server";
import { anyBackupTime, formatMegabytes } from "~/features/backup/backup-name";
import { allBackupStores, findBackup } from "~/features/backup/backup-stores.server";
import { backUpNow } from "~/features/backup/due-backup.server";
import { requireKnownRelease } from "~/features/backup/restore-backup.server";
import { describeBackup, verifyBackup } from "~/features/backup/verify-backup.server";
import type { Level } from "~/features/checks/answer";
import { describeTestMail } from "~/features/checks/check-mail.server";
import { examineSite } from "~/features/checks/examine-site.server";
import { sendTestMail } from "~/features/mail/send-test-mail.server";
import { OperatorError } from "~db/operator-error";
import { programVersion } from "~db/program-version";
import { readDatabaseHealth } from "~db/queries/database-health";
import type { Author } from "./author.server";
import { listWork, startWork } from "./work.server";

/** In the order of findings. */
const LEVELS: Level[] = ["problem", "warning", "ok"];

/** How long a place may take to list its backups, in milliseconds. */
const LIST_MS = 5_000;

/** Loads backups, versions, settings and what is being done and, if asked for, runs `doctor`, for up to half a minute. */
export async function readHealth({ withDoctor }: { withDoctor: boolean }) {
  const { BACKUP_DIR, BACKUP_S3 } = env();
  const [findings, backups, database] = await Promise.all([
    withDoctor ? runDoctor() : null,
    listBackups(),
    readDatabaseHealth(),
  ]);
  const versions: [string, string][] = [
    ["Program", programVersion()],
    ["Node.js", process.versions.node],
    ["PostgreSQL", database.version],
  ];
  const hasPlace = Boolean(BACKUP_DIR || BACKUP_S3);
  return { findings, ...backups, hasPlace, versions, settings: shownSettings(), works: listWork() };
}

/** Runs `doctor`: level, what was checked, what was found and what to do of each finding, what is broken first. */
async function runDoctor() {
  // the site's database is open already
  const open = async () => ({ close: async () => {} });
  const findings = await examineSite({ release: programVersion(), open });
  return LEVELS.flatMap((wanted) => findings.filter(({ level }) => level === wanted)).map(
    ({ level, area, what, found, advice }) => [level, `${area}: ${what}`, found, advice],
  );
}

/** The backups in every place, the newest of each first, and why places can't be listed. */
async function listBackups() {
  const problems: string[] = [];
  const stores = await allBackupStores();
  const places = stores.map(async ({ label, list }, place) => {
    const listed = pTimeout(list(anyBackupTime), { milliseconds: LIST_MS });
    const backups = await listed.catch(({ message }: Error) => {
      problems.push(`${label} can’t be listed: ${message}`);
      return [];
    });
    return backups.toReversed().map((backup) => ({ ...backup, place, label }));
  });
  const kept = (await Promise.all(places)).flat().map(({ bytes, time, ...backup }) => ({
    ...backup,
    size: formatMegabytes(bytes),
    time: time.toISOString(),
  }));
  return { kept, problems };
}

/** Makes a backup as the timer does, unless one is being made here or by another process. */
export const makeBackup = (author: Author) =>
  startWork("Making a backup", author, async () => {
    const made = await backUpNow();
    if (!made) throw new OperatorError("A backup is being made already. Wait until it is done.");
    return `Made the backup ${made.name}, ${formatMegabytes(made.bytes)}`;
  });

/** Reads a whole backup, and checks every digest in it and that this release can restore it. */
export const verifyKept = (place = "", name = "") =>
  startWork(`Verifying ${name}`, null, async () => {
    const found = await findBackup(Number(place), name);
    if (!found) throw new OperatorError("This backup is not kept any more.");
    const verified = await verifyBackup(found.store.read(name));
    requireKnownRelease(verified.manifest);
    return `${name} is complete. ${describeBackup(verified)}`;
  });

/** Sends a mail to the author now; the outcome is the mail server's answer. */
export const testMail = ({ email }: Author) =>
  startWork("Sending a test mail", null, async () => {
    const { isAccepted, sentences } = describeTestMail(await sendTestMail(email));
    if (!isAccepted) throw new OperatorError(sentences.join(" "));
    return sentences.join(" ");
  });
