import { join, resolve } from "node:path";
import { env } from "~/env.server";
import { readBackupFile, writeBackupFile } from "~/features/backup/backup-file.server";
import { anyBackupTime, backupName, formatMegabytes } from "~/features/backup/backup-name";
import { allBackupStores, backupBucket } from "~/features/backup/backup-stores.server";
import { requireKnownRelease, restoreBackup } from "~/features/backup/restore-backup.server";
import { upgradeCluster } from "~/features/backup/upgrade-cluster.server";
import {
  describeBackup,
  type VerifiedBackup,
  verifyBackup,
} from "~/features/backup/verify-backup.server";
import { backUp } from "~/features/backup/write-backup.server";
import { OperatorError } from "~db/operator-error";
import { note, print, whileRead, writeOut } from "./output.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export { upgradeDatabase as "upgrade-database" };

type RestoreOptions = { keepContent?: boolean };

/** Prefix of a backup in the bucket, on the command line. */
const IN_BUCKET = "s3:";

/** `backup`: backs up the site, and reads the backup again to verify it. */
export async function create(file?: string): Promise<void> {
  const now = new Date();
  const content = () => backUp(now, { onLeftOut: note });
  if (file === "-") {
    if (process.stdout.isTTY) {
      throw new OperatorError(
        "A backup can't be printed to a terminal: name a file, or redirect it.",
      );
    }
    const write = async () => {
      for await (const chunk of content()) await writeOut(chunk);
    };
    return withDatabase(() => whileRead(write), { migrate: false });
  }
  const path = resolve(file ?? join(env().BACKUP_DIR ?? ".", backupName(now)));
  const write = async () => {
    const verified: VerifiedBackup[] = [];
    await writeBackupFile(path, content(), {
      verify: async (stored) => void verified.push(await verifyBackup(stored)),
    });
    print(path);
    for (const one of verified) note(describeBackup(one));
  };
  await withDatabase(write, { migrate: false });
}

/** `backup verify`: verifies a backup without changing anything. */
export async function verify(file: string): Promise<void> {
  const source = await openBackup(file);
  const verified = await verifyBackup(source());
  print(`${file} is complete.`);
  note(describeBackup(verified));
  requireKnownRelease(verified.manifest);
}

/** `backup list`: the backups in the folder and in the bucket, and those made before upgrades. */
export async function list(): Promise<void> {
  const stores = await allBackupStores();
  if (stores.length === 0) {
    throw new OperatorError("There is no place for backups: set BACKUP_DIR or BACKUP_S3_URL.");
  }
  for (const store of stores) {
    note(store.label);
    for (const { name, bytes } of await store.list(anyBackupTime)) {
      print(`${name}\t${formatMegabytes(bytes)}`);
    }
  }
}

/** `restore`: fills an empty database and DATA_DIR from a backup. */
export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const source = await openBackup(file);
  note("Reading the whole backup before anything is changed …");
  const verified = await verifyBackup(source());
  requireKnownRelease(verified.manifest);
  // as a site opens it, so that no site can serve from it meanwhile
  const alone = (work: () => Promise<void>) =>
    withDatabase(work, { purpose: "serve", migrate: false });
  const { replaced } = await restoreBackup(verified, source, alone, options);
  print("The site was restored. Start it as usual.");
  note(describeBackup(verified));
  for (const path of replaced) note(`A file that was in the way is now ${path}.`);
  noteSessionSecret(verified);
}

/** `upgrade-database`: moves the embedded database to the PostgreSQL that this release brings along. */
async function upgradeDatabase({ binaries }: { binaries?: string }): Promise<void> {
  const upgrade = await upgradeCluster(binaries, note);
  if (upgrade.kind === "current") {
    print(`The database is already PostgreSQL ${upgrade.major}. Nothing was changed.`);
    return;
  }
  const { from, to, backup, place, kept } = upgrade;
  print(`The database was moved from PostgreSQL ${from} to ${to}. Start the site as usual.`);
  note(`The old database is kept in ${kept}: delete it once you know that the site works.`);
  note(`The backup used for the move is ${backup} in ${place}.`);
  note(`Settings that you have changed in ${kept}/postgresql.conf are not carried over.`);
}

/** Returns a function that reads a backup from the beginning, from a file or from the bucket. */
async function openBackup(file: string): Promise<() => AsyncIterable<Uint8Array>> {
  if (!file.startsWith(IN_BUCKET)) return () => readBackupFile(resolve(file));
  const name = file.slice(IN_BUCKET.length);
  const bucket = await backupBucket();
  if (!bucket) throw new OperatorError("There is no bucket: set BACKUP_S3_URL and its keys.");
  if (!anyBackupTime(name)) {
    throw new OperatorError(`${name} is not the name of a backup: 'backup list' shows them.`);
  }
  return () => bucket.read(name);
}

function noteSessionSecret({ manifest }: VerifiedBackup): void {
  const isSet = env().SESSION_SECRET !== undefined;
  if (manifest.sessionSecret === "environment") {
    note(
      `The backup holds no session secret, because that site had one in SESSION_SECRET: ${isSet ? "check that it is the same here" : "set the same one here"}, or everyone has to log in again and links in mails stop working.`,
    );
  } else if (isSet) {
    note(
      "SESSION_SECRET is set here, and is used instead of the restored secret: unset it, or add the secret in DATA_DIR/session-secret to its list, or everyone has to log in again.",
    );
  }
}
