import type { Sql } from "postgres";
import type { Parameter, Rows } from "./connection";

/** Sends a statement; its rows are objects, or arrays of column values. */
export type Send = (text: string, parameters: Parameter[], asArrays: boolean) => Promise<Rows>;

/** Runs work in a transaction or, within one, in a savepoint. */
export type Nest = <T>(work: (client: Sql) => Promise<T>) => Promise<T>;

/** The part of a postgres.js client or transaction that Drizzle uses, with its own ways to send and to nest. */
export function drizzleClient(send: Send, nest: Nest): Sql {
  const client = {
    options: { parsers: {}, serializers: {} },
    unsafe: (text: string, parameters: Parameter[] = []) => ({
      values: () => send(text, parameters, true),
      // biome-ignore lint/suspicious/noThenProperty: like postgres.js's query, it is sent when it is awaited
      then: (...handlers: Parameters<Promise<Rows>["then"]>) =>
        send(text, parameters, false).then(...handlers),
    }),
    begin: nest,
    savepoint: nest,
  };
  return client as unknown as Sql;
}
