import { describe, expect, it } from "vitest";
import { describeConnectionFailure, withoutCredentials } from "./connection-failure";
import { ConnectionError } from "./database-errors";

describe("a database's address, as it is shown", () => {
  it.each([
    ["postgres://someone:hunter2@db.example:6432/shop", "db.example:6432/shop"],
    ["postgresql://db.example/shop?sslmode=require", "db.example:5432/shop"],
    ["postgres://someone:p%40ss%2Fword@[::1]:5433/shop", "[::1]:5433/shop"],
    ["postgres://a:b@one.example,two.example:5433/shop", "one.example:5432,two.example:5433/shop"],
    ["postgres://someone:hunter2@db.example", "db.example:5432"],
    [
      "postgres://someone:hunter2@%2Frun%2Fpostgresql/shop",
      "/run/postgresql/.s.PGSQL.5432, database shop",
    ],
    ["postgres://someone:hunter2@localhost:6432/?host=/run/a%20b", "/run/a b/.s.PGSQL.6432"],
  ])("%s is shown without user and password", (url, shown) => {
    expect(withoutCredentials(url)).toBe(shown);
  });
});

describe("a database that cannot be used", () => {
  const url = "postgres://someone:hunter2@db.example/shop";
  const failure = (code: string, message = "") =>
    describeConnectionFailure(url, new ConnectionError(code, message));

  it.each([
    ["ECONNREFUSED", "nothing listens there (connection refused)"],
    ["ENOTFOUND", "the host name is unknown"],
    ["CONNECT_TIMEOUT", "no answer in time (a wrong host or port, or a firewall)"],
    ["28P01", "the password of user 'someone' is wrong"],
    ["3D000", "there is no such database on that server"],
    ["53300", "the server has no connection free"],
    ["SOCKET_ENOENT", "no server listens on that socket"],
    ["SOCKET_EACCES", "the user this program runs as may not use that socket"],
  ])("is explained in one sentence for %s", (code, cause) => {
    expect(failure(code)).toBe(
      `Cannot use the database at db.example:5432/shop (DATABASE_URL): ${cause}.`,
    );
  });

  it("is explained in one sentence with the error's own message for any other failure", () => {
    expect(failure("XX000", "the sky fell.\nat line 3")).toBe(
      "Cannot use the database at db.example:5432/shop (DATABASE_URL): the sky fell.",
    );
  });
});
