import { upgradeCluster } from "~/features/backup/upgrade-cluster.server";
import { note, print } from "./output.server";

/** `upgrade-database`: moves the embedded database to the PostgreSQL that this release brings along. */
export async function upgradeDatabase({ binaries }: { binaries?: string }): Promise<void> {
  const upgrade = await upgradeCluster(binaries, note);
  if (upgrade.kind === "current") {
    print(`The database is of PostgreSQL ${upgrade.major} already. Nothing was changed.`);
    return;
  }
  const { from, to, backup, place, kept } = upgrade;
  print(`The database was moved from PostgreSQL ${from} to ${to}. Start the site as usual.`);
  note(`The old database is kept in ${kept}: delete it once the site has proved itself.`);
  note(`The backup it was moved by is ${backup} in ${place}.`);
  note(`Settings that you have changed in ${kept}/postgresql.conf are not taken over.`);
}
