import { splitHosts } from "~db/database-url";

/** The hosts of a PostgreSQL URL, or the folder of its Unix socket; never its credentials. */
export function databaseHosts(url: string): string[] {
  return splitHosts(url).map((one) => {
    const { hostname, searchParams } = new URL(one);
    return decodeURIComponent(hostname) || searchParams.get("host") || "localhost";
  });
}
