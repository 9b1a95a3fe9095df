import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { preparedStatement } from "../prepared-query";

/**
 * What a page shows of its viewer besides who they are, in a form in which the statement that finds their session can read
 * it: another statement takes a tenth of the page's time (docs/decisions/0045-details-with-the-session.md).
 */
export type ViewerDetail<Value> = {
  /** Names the statement, so that details which differ in their `values` only share it. */
  name: string;
  /** The JSON of the detail, of this user, as an expression of SQL with placeholders for `values`. */
  json: (userId: SQLWrapper) => SQL;
  values: Record<string, string | number>;
  read: (json: unknown) => Value;
};

/** What PostgreSQL makes of an instant within JSON. */
export type JsonInstant = string;

export const dateOf = (instant: JsonInstant | null) =>
  instant === null ? null : new Date(instant);

const statements = new Map<string, ReturnType<typeof preparedStatement<{ detail: unknown }>>>();

/** A user's detail by itself. */
export async function findDetail<Value>(
  { name, json, values, read }: ViewerDetail<Value>,
  userId: string,
  executor: Executor = getDatabase().db,
): Promise<Value> {
  let statement = statements.get(name);
  if (!statement) {
    statement = preparedStatement(
      () => sql`select ${json(sql`${sql.placeholder("userId")}::uuid`)} as detail`,
    );
    statements.set(name, statement);
  }
  const [row] = await statement(executor, { userId, ...values });
  return read(row?.detail);
}
