import { createHmac } from "node:crypto";
import { log } from "~/observability/log.server";
import { replaceSiteKey } from "~db/queries/site-keys";
import { sessionSecrets } from "./session-secrets.server";

/** The name under which the database stores a hash of the last start's secret. */
const NAME = "session-secret";

/**
 * Warns if this instance would reject signatures of the one that started last on the same database. With several
 * instances, visitors would be signed in by one and signed out by another.
 */
export async function checkSessionSecret(): Promise<void> {
  const [newest, ...older] = sessionSecrets().map(fingerprint);
  if (!newest) return;
  const last = await replaceSiteKey(NAME, newest);
  if (last === null || [newest, ...older].some((known) => known.equals(last))) return;
  log().warn(
    "SESSION_SECRET is not that of this database's last start: everyone is logged out. Several instances need the same one; to replace it, keep the old one listed behind the new one.",
  );
}

function fingerprint(secret: string): Buffer {
  return createHmac("sha256", secret).update("the secret of the last start").digest();
}
