import { readFileSync } from "node:fs";

/** How a connection is encrypted, and what of the server's certificate is checked: libpq's `sslmode`. */
const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof MODES)[number];

/** What an address says about TLS, in libpq's terms; the last four are the contents of files, or a password. */
export type TlsSettings = {
  mode: SslMode;
  /** Certificates of the authorities to trust, in PEM; null for those that Node trusts. */
  rootCertificates: string | null;
  certificate: string | null;
  key: string | null;
  keyPassword: string | null;
};

/** The other parameters of libpq's that have a meaning here, with the values they may have. */
const OTHERS: Record<string, { allowed: RegExp; wanted: string }> = {
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
  // what libpq takes for JDBC's sake
  ssl: { allowed: /^true$/, wanted: "'true', or better sslmode" },
};

const TLS_NAMES = ["sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword"] as const;

/**
 * Why the parameters of a PostgreSQL address cannot be used, to complete "wanted …"; null if nothing is wrong. Never
 * quotes a value, which may be a secret.
 */
export function findParameterProblem(url: string): string | null {
  const parameters = parametersOf(url);
  for (const name of new Set(parameters.keys())) {
    if (parameters.getAll(name).length > 1) return `the parameter ${name} only once`;
    const isTls = (TLS_NAMES as readonly string[]).includes(name);
    const other = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined;
    if (!isTls && !other) {
      const known = [...TLS_NAMES, ...Object.keys(OTHERS).filter((known) => known !== "ssl")];
      return `no parameter ${JSON.stringify(name.slice(0, 40))}: those known are ${known.join(", ")}`;
    }
    if (other && !other.allowed.test(parameters.get(name) ?? "")) {
      return `for ${name} ${other.wanted}`;
    }
  }
  const isSocket = parameters.get("host")?.startsWith("/") === true;
  if (parameters.has("host") && !isSocket) {
    return "the host before the path; the parameter host is for the folder of a socket";
  }
  if (parameters.has("port") && !isSocket) return "the port behind the host";
  const mode = parameters.get("sslmode");
  const root = parameters.get("sslrootcert");
  if (mode !== null && !isMode(mode)) return `for sslmode one of ${MODES.join(", ")}`;
  if (root === "system" && mode !== null && mode !== "verify-full") {
    return "sslmode=verify-full beside sslrootcert=system, as libpq does";
  }
  if (parameters.has("sslcert") !== parameters.has("sslkey")) {
    return "both sslcert and sslkey, or neither";
  }
  for (const name of ["sslrootcert", "sslcert", "sslkey"] as const) {
    const file = parameters.get(name);
    if (file === null || (name === "sslrootcert" && file === "system")) continue;
    const problem = fileProblem(file);
    if (problem) return `for ${name} a file in PEM: ${problem}`;
  }
  return null;
}

/**
 * What an address says about TLS; nothing for a Unix socket, which needs none. Without `sslmode` it is `prefer`, as in
 * libpq; with `sslrootcert=system`, `verify-full`. `require` with a root certificate verifies as `verify-ca` does.
 * Files are read now, so that a renewed certificate counts for the next connection. Throws the file system's error.
 * https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export function readTlsSettings(url: string): TlsSettings {
  const parameters = parametersOf(url);
  const read = (name: string) => {
    const file = parameters.get(name);
    return file === null || file === "system" ? null : readFileSync(file, "utf8");
  };
  const rootCertificates = read("sslrootcert");
  const fallback =
    parameters.get("sslrootcert") === "system"
      ? "verify-full"
      : parameters.get("ssl") === "true"
        ? "require"
        : "prefer";
  const written = parameters.get("sslmode") ?? fallback;
  const mode = isMode(written) ? written : fallback;
  return {
    mode: mode === "require" && rootCertificates !== null ? "verify-ca" : mode,
    rootCertificates,
    certificate: read("sslcert"),
    key: read("sslkey"),
    keyPassword: parameters.get("sslpassword"),
  };
}

/** What the program does itself, and the driver would take in its own way or pass to the server. */
const OWN_NAMES = [...TLS_NAMES, "ssl", "channel_binding", "target_session_attrs", "pgbouncer"];

/** The same address without what is said about TLS, the kind of server and poolers, which are not the driver's. */
export function withoutOwnParameters(url: string): string {
  const [address = "", query] = url.split("?");
  const parameters = new URLSearchParams(query);
  for (const name of OWN_NAMES) parameters.delete(name);
  return parameters.size > 0 ? `${address}?${parameters}` : address;
}

/** Whether an address insists on encryption, whatever the server or somebody in between answers. */
export function insistsOnTls(url: string): boolean {
  const parameters = parametersOf(url);
  const fallback = parameters.get("ssl") === "true" ? "require" : "";
  const mode = parameters.get("sslmode") ?? fallback;
  return (
    parameters.get("sslrootcert") === "system" || /^(require|verify-ca|verify-full)$/.test(mode)
  );
}

/** The parameters of an address. */
export function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split("?")[1]?.split("#")[0]);
}

function isMode(text: string): text is SslMode {
  return (MODES as readonly string[]).includes(text);
}

function fileProblem(file: string): string | null {
  try {
    return readFileSync(file, "utf8").includes("-----BEGIN ")
      ? null
      : "that one is of another kind";
  } catch (error) {
    return `that one cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}
