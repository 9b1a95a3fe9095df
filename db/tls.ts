import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { ConnectionError } from "./database-errors";
import { parametersOf, sslModeOf } from "./database-parameters";

const UNKNOWN_AUTHORITY = "its certificate is of an authority that sslrootcert does not name";

/** What is wrong with a server's certificate, by the code of OpenSSL's or Node's error. */
const CERTIFICATE_PROBLEMS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself; name it in sslrootcert",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; look at both machines' clocks",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another host name, which sslmode=verify-full does not accept",
};

/**
 * The options of `tls.connect` with which an address's `sslmode` connects to its host. Files are read now, so that a
 * renewed certificate counts for the next connection. Throws a ConnectionError for files that cannot be used.
 */
export function tlsOptions(url: string, host: string): ConnectionOptions {
  const mode = sslModeOf(url);
  const parameters = parametersOf(url);
  const read = (name: string) => {
    const file = parameters.get(name);
    return file === null || file === "system" ? undefined : readFileSync(file);
  };
  try {
    return {
      // against what the certificate's names are checked
      host,
      ...(isIP(host) ? {} : { servername: host }),
      rejectUnauthorized: mode.startsWith("verify-"),
      ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
      secureContext: createSecureContext({
        ca: read("sslrootcert"),
        cert: read("sslcert"),
        key: read("sslkey"),
        passphrase: parameters.get("sslpassword") ?? undefined,
      }),
    };
  } catch (error) {
    throw new ConnectionError(
      "TLS_FAILED",
      `sslcert, sslkey and sslpassword do not fit together, or sslrootcert is no certificate (${reasonOf(error)})`,
      { cause: error },
    );
  }
}

/** A failure of TLS as one that names its cause in plain words; any other error unchanged. */
export function explainTlsFailure(error: NodeJS.ErrnoException): Error {
  const code = error.code ?? "";
  const problem = CERTIFICATE_PROBLEMS[code];
  if (!problem && !/^ERR_(SSL|TLS|OSSL)/.test(code)) return error;
  return new ConnectionError(
    "TLS_FAILED",
    problem
      ? `the server is not trusted: ${problem}`
      : `the encrypted connection failed (${reasonOf(error)})`,
    { cause: error },
  );
}

/** The rest of OpenSSL's messages are numbers and names of its functions. */
function reasonOf(error: unknown): string {
  return (error as { reason?: string }).reason ?? (error as Error).message;
}
