const A_FILE = { allowed: /^/, wanted: "a file in PEM" };

/** The parameters of libpq's that have a meaning here, and one of ours, with the values that each may have. */
const PARAMETERS: Record<string, { allowed: RegExp; wanted: string }> = {
  sslmode: {
    allowed: /^(disable|allow|prefer|require|verify-ca|verify-full)$/,
    wanted: "one of disable, allow, prefer, require, verify-ca, verify-full",
  },
  sslrootcert: A_FILE,
  sslcert: A_FILE,
  sslkey: A_FILE,
  sslpassword: { allowed: /^/, wanted: "the password of the key" },
  host: { allowed: /./, wanted: "a host or the folder of a socket" },
  port: { allowed: /^\d{1,5}$/, wanted: "a port number" },
  application_name: { allowed: /./, wanted: "a name" },
  options: { allowed: /./, wanted: "options for the server" },
  client_encoding: { allowed: /^utf-?8$/i, wanted: "'utf8'" },
  target_session_attrs: {
    allowed: /^(any|read-write|read-only|primary|standby|prefer-standby)$/,
    wanted: "one of read-write, any, read-only, primary, standby, prefer-standby",
  },
  pgbouncer: { allowed: /^(true|false)$/, wanted: "'true' or 'false'" },
  channel_binding: {
    allowed: /^(disable|prefer)$/,
    wanted:
      "nothing, because channel binding is not supported; sslmode=verify-full protects as well",
  },
  // libpq accepts it for compatibility with JDBC
  ssl: { allowed: /^true$/, wanted: "'true', or better sslmode" },
};

/** Parameters passed on to the server, as are all others that are not in the list above. */
const FOR_THE_SERVER = ["application_name", "options", "client_encoding"];

/** The parameters of an address. */
export function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split("?")[1]?.split("#")[0]);
}

/**
 * Why the parameters of a PostgreSQL address cannot be used, to complete "wanted …"; null if nothing is wrong. Never
 * quotes a value, which may be a secret.
 */
export function findParameterProblem(url: string): string | null {
  const parameters = parametersOf(url);
  for (const [name, value] of parameters) {
    if (parameters.getAll(name).length > 1) return `the parameter ${name} only once`;
    const rule = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (!rule) {
      const known = Object.keys(PARAMETERS).filter((known) => known !== "ssl");
      return `no parameter ${JSON.stringify(name.slice(0, 40))}: those known are ${known.join(", ")}`;
    }
    if (!rule.allowed.test(value)) return `for ${name} ${rule.wanted}`;
  }
  if (!parameters.get("host")?.startsWith("/")) {
    if (parameters.has("host")) {
      return "the host before the path; the parameter host is for the folder of a socket";
    }
    if (parameters.has("port")) return "the port behind the host";
  }
  if (parameters.get("sslrootcert") === "system" && sslModeOf(url) !== "verify-full") {
    return "sslmode=verify-full beside sslrootcert=system, as libpq does";
  }
  if (parameters.has("sslcert") !== parameters.has("sslkey")) {
    return "both sslcert and sslkey, or neither";
  }
  return null;
}

/**
 * An address's `sslmode`, by default `prefer`, as in libpq; with `sslrootcert=system`, `verify-full`. `require` with a
 * root certificate verifies as `verify-ca` does. https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export function sslModeOf(url: string): string {
  const parameters = parametersOf(url);
  const root = parameters.get("sslrootcert");
  const preferred = parameters.get("ssl") === "true" ? "require" : "prefer";
  const mode = parameters.get("sslmode") ?? (root === "system" ? "verify-full" : preferred);
  return mode === "require" && root !== null ? "verify-ca" : mode;
}

/** Whether an address requires encryption, whatever the server or an attacker in between answers. */
export function insistsOnTls(url: string): boolean {
  return /^(require|verify-ca|verify-full)$/.test(sslModeOf(url));
}

/**
 * Which servers an address asks for, the preferred first: libpq's `target_session_attrs`. Unlike libpq's, the default is
 * `read-write`, because the site can do nothing with a standby.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS
 */
export function wantedServers(url: string): string[] {
  const wanted = parametersOf(url).get("target_session_attrs") ?? "read-write";
  return wanted === "prefer-standby" ? ["standby", "any"] : [wanted];
}

/** Whether an address says that a pooler is in between; null if it says nothing and this must be detected. */
export function saysPooled(url: string): boolean | null {
  const said = parametersOf(url).get("pgbouncer");
  return said === null ? null : said === "true";
}

/** The parameters that go to the server when a session starts. */
export function serverParameters(url: string): Record<string, string> {
  const isForServer = (name: string) =>
    FOR_THE_SERVER.includes(name) || !Object.hasOwn(PARAMETERS, name);
  return Object.fromEntries([...parametersOf(url)].filter(([name]) => isForServer(name)));
}
