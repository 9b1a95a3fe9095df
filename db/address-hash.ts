import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * SHA-256 of an email address in lower case: recognizes an address that is no longer stored. Computed by the
 * database alone, since its lower() and JavaScript's differ beyond ASCII.
 */
export function addressHash(email: string | SQLWrapper): SQL<Buffer> {
  return sql<Buffer>`sha256(convert_to(lower(${email}::text), 'UTF8'))`;
}
