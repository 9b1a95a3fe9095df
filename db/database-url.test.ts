import { describe, expect, it } from "vitest";
import {
  endpointOf,
  forLibpq,
  formatDatabaseUrl,
  parseSocketAddress,
  separatePassword,
  socketPath,
  splitHosts,
  withoutEndpoint,
} from "./database-url";

describe("a database's address", () => {
  it.each([
    ["postgres://a:b@%2Frun%2Fpostgresql/shop", "/run/postgresql", 5432],
    ["postgres://a:b@%2frun:6432/shop", "/run", 6432],
    ["postgresql:///shop?host=/run/postgresql&port=6432", "/run/postgresql", 6432],
    ["postgres://a:b@db.example:5433/shop?host=%2Fcloudsql%2Fp:r:i", "/cloudsql/p:r:i", 5433],
  ])("%s names a Unix socket, as in libpq", (url, host, port) => {
    expect(parseSocketAddress(url)).toEqual({ host, port });
  });

  it.each([
    "postgres://a:b@db.example/shop",
    "postgres://a:b@[::1]:5433/shop",
    "postgres://one.example,two.example:5433/shop",
    "postgres://a:b@db.example/shop?host=other.example",
    "postgres://a:%2Fslash@db.example/%2Fshop",
  ])("%s names hosts", (url) => {
    expect(parseSocketAddress(url)).toBeNull();
  });

  it.each([
    ["postgres://a:b@db.example/shop", { host: "db.example", port: 5432 }],
    ["postgres://a:b@[::1]:5433/shop?sslmode=require", { host: "::1", port: 5433 }],
    ["postgres:///shop", { host: "localhost", port: 5432 }],
    ["postgres://a:b@%2Frun:6432/shop", { path: "/run/.s.PGSQL.6432" }],
  ])("%s leads there", (url, endpoint) => {
    expect(endpointOf(url)).toEqual(endpoint);
  });

  it("leaves credentials and database to the driver", () => {
    const url = "postgres://a:b%40@%2Frun:6432/shop?sslmode=disable&host=/run&search_path=x";
    expect(withoutEndpoint(url)).toBe("postgres://a:b%40@localhost/shop");
  });

  it("formatted from a folder of any name is a valid URL that parses back", () => {
    const address = { host: `/it's, a "strange" 100% name/ä#?@:[b]`, port: 5432 };
    const url = formatDatabaseUrl(address, { name: "site", password: "p/w@x" }, "shop");
    expect(URL.canParse(url)).toBe(true);
    expect(parseSocketAddress(url)).toEqual(address);
    expect(socketPath(address)).toBe(`${address.host}/.s.PGSQL.5432`);
  });
});

describe("an address with several hosts", () => {
  it.each([
    ["postgres://a:b@one:5433,two/s?x=1", "one:5433", "two"],
    ["postgres://a:p@ss,w@[::1]:5433,[::2]/s", "[::1]:5433", "[::2]"],
    ["postgres://one,two", "one", "two"],
  ])("%s is one for each", (url, ...hosts) => {
    expect(splitHosts(url)).toEqual(hosts.map((host) => url.replace(hosts.join(","), host)));
  });

  it.each([
    "postgres://a:b@db.example/s?x=1,2",
    "postgres://a:b,c@db.example/s",
    "postgres://a:b@%2Frun/s",
  ])("%s has one", (url) => {
    expect(splitHosts(url)).toEqual([url]);
  });

  it.each([
    ["postgres://a:b@one,two/s", "postgres://a:b@one,two/s?target_session_attrs=read-write"],
    [
      "postgres://a:b@one,two/s?target_session_attrs=any",
      "postgres://a:b@one,two/s?target_session_attrs=any",
    ],
    ["postgres://a:b@one/s?pgbouncer=true&sslmode=require", "postgres://a:b@one/s?sslmode=require"],
    ["postgres://a:b@one/s?pgbouncer=true", "postgres://a:b@one/s"],
    ["postgres://a:b@one/s?options=-c%20a%3Db", "postgres://a:b@one/s?options=-c%20a%3Db"],
    [
      "postgres://a:b@one/s?pgbouncer=true&options=-c%20a%3D%2B1",
      "postgres://a:b@one/s?options=-c%20a%3D%2B1",
    ],
  ])("%s is for psql what it means here", (url, expected) => {
    expect(forLibpq(url)).toBe(expected);
  });
});

describe("an address for a command line", () => {
  it.each([
    ["postgres://a:b@db.example/shop", "postgres://a@db.example/shop", "b"],
    ["postgres://a:p%40s:s@db.example/shop?x=1", "postgres://a@db.example/shop?x=1", "p@s:s"],
    // as drivers read it, up to the last @
    ["postgres://a:p@ss@db.example/shop", "postgres://a@db.example/shop", "p@ss"],
    ["postgres://a@db.example/shop?x=y:z@w", "postgres://a@db.example/shop?x=y:z@w", null],
    ["postgres://a:b@h/s?sslpassword=k&x=1", "postgres://a@h/s?x=1", "b"],
    ["postgres://a:b@h/s?x=1&sslpassword=k", "postgres://a@h/s?x=1", "b"],
    ["postgres://a@h/s?sslpassword=k", "postgres://a@h/s", null],
  ])("has no password in %s", (url, address, password) => {
    expect(separatePassword(url)).toEqual({ address, password });
  });
});
