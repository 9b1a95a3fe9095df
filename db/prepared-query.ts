import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Executor } from "./client";

/**
 * A query that is built once per database, for those that run with nearly every page or log-in: building one anew takes longer than
 * reading its answer. `build` ends with Drizzle's `prepare`.
 */
export function preparedQuery<Query>(
  build: (executor: Executor) => Query,
): (executor: Executor) => Query {
  const queries = new WeakMap<Executor, Query>();
  return (executor) => {
    let query = queries.get(executor);
    if (!query) {
      query = build(executor);
      queries.set(executor, query);
    }
    return query;
  };
}

/**
 * A statement in SQL whose text is made once, for those that run with nearly every post. `build` has a placeholder for
 * each value, which are passed as the driver takes them: dates as ISO 8601, JSON as text.
 */
export function preparedStatement<Row extends Record<string, unknown>>(
  build: () => SQL,
): (executor: Executor, values: Record<string, unknown>) => Promise<Row[]> {
  let query: ReturnType<PgDialect["sqlToQuery"]> | undefined;
  return (executor, values) => {
    query ??= new PgDialect().sqlToQuery(build());
    const statement = executor._.session.prepareQuery<{
      execute: Row[];
      all: Row[];
      values: unknown[][];
    }>(query, undefined, "prepared", false);
    return statement.execute(values);
  };
}
