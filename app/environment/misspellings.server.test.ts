import { describe, expect, it } from "vitest";
import { parseEnvironment } from "~/env.server";
import { findMisspellings, findUnknownSettings } from "./misspellings.server";

describe("a misspelled setting", () => {
  it.each([
    ["PUBLIC_ULR", "PUBLIC_URL"],
    ["public_url", "PUBLIC_URL"],
    ["SESSION_SECRETS", "SESSION_SECRET"],
    ["STRIPE_PUBLISABLE_KEYS", "STRIPE_PUBLISHABLE_KEY"],
    ["MAILFROM", "MAIL_FROM"],
  ])("%s is recognized as %s", (name, meant) => {
    expect(findMisspellings({ [name]: "x" }).get(name) ?? null).toBe(meant);
  });

  it("prevents the start, and is reported without its value", () => {
    expect(() => parseEnvironment({ SESSION_SECRETS: "hunter2" })).toThrow(
      /^SESSION_SECRETS: found a variable of a name this program does not know, wanted SESSION_SECRET, or another name if it is not for this program\.$/,
    );
  });

  it("is ignored beside the correct one", () => {
    expect(findMisspellings({ LOGLEVEL: "x", LOG_LEVEL: "info" })).toEqual(new Map());
  });
});

describe("variables set by shells, npm, containers and orchestrators", () => {
  const foreign = {
    HOME: "/home/reader",
    HOSTNAME: "f00",
    HOSTTYPE: "x86_64",
    PORTAGE_TMPDIR: "/var/tmp",
    PORTS: "80",
    MAIL: "/var/mail/reader",
    MAILCHECK: "60",
    SESSION_MANAGER: "local/host:@/tmp/.ICE-unix/1",
    SESSIONNAME: "Console",
    SECURITYSESSIONID: "186a6",
    DATABASE: "book",
    PGDATABASE: "book",
    XDG_DATA_DIRS: "/usr/share",
    XDG_DATA_HOME: "/home/reader/.local/share",
    PUBLIC_KEY: "x",
    BASE_URL: "/",
    HTTP_URL: "x",
    META_DIR: "x",
    LOGNAME: "reader",
    npm_config_loglevel: "warn",
    npm_package_engines_node: ">=20",
    NODE_VERSION: "24.1.0",
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
    SMTP_SERVICE_HOST: "10.0.0.2",
    SMTP_SERVICE_PORT_SUBMISSION: "587",
    SMTP_PORT: "tcp://10.0.0.2:587",
    SMTP_PORT_587_TCP_ADDR: "10.0.0.2",
    NEXT_PUBLIC_URL: "x",
  };

  it("are neither rejected nor reported", () => {
    expect(findMisspellings(foreign)).toEqual(new Map());
    expect(findUnknownSettings(foreign)).toEqual([]);
  });

  it("include the environment of this test run", () => {
    const here = Object.fromEntries(
      Object.entries(process.env).map(([name, value]) => [name, value ?? ""]),
    );
    expect(findMisspellings(here)).toEqual(new Map());
  });
});
