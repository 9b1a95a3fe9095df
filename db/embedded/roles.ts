import { createHmac } from "node:crypto";
import type { Connection } from "../connection";
import { describeConnectionFailure } from "../connection-failure";
import { databaseErrorCode } from "../database-errors";
import { formatDatabaseUrl } from "../database-url";
import { openConnection } from "../open-connection";
import { OperatorError } from "../operator-error";
import type { ServerAddress } from "./address";
import { type Cluster, readPassword, SUPERUSER } from "./cluster";

export const DATABASE = "golden_path";
/** The role the site connects as: owner of its database and everything in it, without other privileges. */
export const SITE_ROLE = "golden_path_site";

/** Arbitrary, but used for no other advisory lock in the database. */
const OWNERSHIP_LOCK = 7_240_918_355_203;
/** Errors of a login while the role or its password is not set up. */
const LOGIN_FAILURES = new Set(["28000", "28P01", "42501"]);

/** The site's role can create functions of any name in its database, which the superuser must never call. */
const SAFE_SEARCH_PATH = { search_path: "pg_catalog" };

/**
 * Ensures that the site's role exists, can log in, has no server-wide privileges and owns the site's database. One
 * statement, so that a killed start leaves nothing half done.
 */
export async function ensureSiteRole(cluster: Cluster, server: ServerAddress): Promise<void> {
  if (await isSiteRoleReady(cluster, server)) return;
  const superuser = await open(await superuserUrl(cluster, server, DATABASE, SAFE_SEARCH_PATH));
  try {
    await superuser.query(handOver(await sitePassword(cluster)));
  } finally {
    await superuser.end();
  }
}

/** The address of the site's database for the site. */
export async function siteUrl(
  cluster: Pick<Cluster, "directory">,
  server: ServerAddress,
  parameters: Record<string, string> = {},
): Promise<string> {
  const role = { name: SITE_ROLE, password: await sitePassword(cluster) };
  return formatDatabaseUrl(server, role, DATABASE, { sslmode: "disable", ...parameters });
}

/** The address of a database for the superuser, which only administers the embedded server. */
export async function superuserUrl(
  cluster: Pick<Cluster, "directory">,
  server: ServerAddress,
  database: string,
  parameters: Record<string, string> = {},
): Promise<string> {
  const role = { name: SUPERUSER, password: await readPassword(cluster) };
  return formatDatabaseUrl(server, role, database, { sslmode: "disable", ...parameters });
}

async function isSiteRoleReady(cluster: Cluster, server: ServerAddress): Promise<boolean> {
  const url = await siteUrl(cluster, server, SAFE_SEARCH_PATH);
  const site = await open(url).catch((error: OperatorError) => {
    if (LOGIN_FAILURES.has(databaseErrorCode(error.cause) ?? "")) return null;
    throw error;
  });
  if (site === null) return false;
  try {
    const [row] = await site.query(`select datdba = pg_roles.oid
          and not (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls) as ready
        from pg_roles, pg_database where rolname = current_user and datname = current_database()`);
    return row?.ready === true;
  } finally {
    await site.end();
  }
}

function handOver(password: string): string {
  return `do $hand_over$
    begin
      perform pg_advisory_xact_lock(${OWNERSHIP_LOCK});
      if not exists (select from pg_roles where rolname = '${SITE_ROLE}') then
        create role ${SITE_ROLE};
      end if;
      alter role ${SITE_ROLE} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
        password '${password}';
      alter database ${DATABASE} owner to ${SITE_ROLE};
    end
  $hand_over$`;
}

/** Derived one-way from the superuser's password, so that there is no second secret to store. */
async function sitePassword(cluster: Pick<Cluster, "directory">): Promise<string> {
  return createHmac("sha256", await readPassword(cluster))
    .update(SITE_ROLE)
    .digest("base64url");
}

async function open(url: string): Promise<Connection> {
  return openConnection({ url, applicationName: "golden-path-roles" }).catch((error) => {
    const message = describeConnectionFailure(url, error, "the embedded PostgreSQL");
    throw new OperatorError(message, { cause: error });
  });
}
