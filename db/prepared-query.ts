import type { Executor } from "./client";

/**
 * A query that is built once per database, for those that run with nearly every page: building one anew takes longer than
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
