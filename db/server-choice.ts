import { ConnectionError } from "./database-errors";
import { parametersOf } from "./tls-settings";

/**
 * Which server an address asks for: libpq's `target_session_attrs`. Unlike libpq's, the default is `read-write`, because
 * the site can do nothing with a standby.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS
 */
export type WantedServer = "any" | "read-write" | "read-only" | "primary" | "standby";

/** What a server says about itself. */
export type ServerState = { isStandby: boolean; isReadOnly: boolean };

/** The servers an address asks for, the preferred first. */
export function wantedServers(url: string): WantedServer[] {
  const wanted = parametersOf(url).get("target_session_attrs") ?? "read-write";
  return wanted === "prefer-standby" ? ["standby", "any"] : [wanted as WantedServer];
}

/** What an address says about a pooler in between; null if nothing, so that it has to be found out. */
export function saysPooled(url: string): boolean | null {
  const said = parametersOf(url).get("pgbouncer");
  return said === null ? null : said === "true";
}

/** Throws a ConnectionError, whose code counts as the database being unavailable, if it is not the server that is wanted. */
export function checkServer(wanted: WantedServer, { isStandby, isReadOnly }: ServerState): void {
  const isWanted: Record<WantedServer, boolean> = {
    any: true,
    "read-write": !isStandby && !isReadOnly,
    "read-only": isStandby || isReadOnly,
    primary: !isStandby,
    standby: isStandby,
  };
  if (isWanted[wanted]) return;
  throw new ConnectionError(
    "WRONG_SERVER",
    isStandby
      ? "it is a standby, which is read-only"
      : isReadOnly
        ? "it is read-only (default_transaction_read_only)"
        : "it is a primary, and target_session_attrs asks for another",
  );
}
