import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { ConnectionError } from "./database-errors";
import { parametersOf, sslModeOf } from "./database-parameters";

/** OpenSSL's and Node's codes for a certificate that is not accepted. */
const NOT_TRUSTED = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

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
      // the name that the certificate is checked against
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

/** A failure of TLS with an explanation of its reason; any other error unchanged. */
export function explainTlsFailure(error: NodeJS.ErrnoException): Error {
  const code = error.code ?? "";
  const isUntrusted = NOT_TRUSTED.test(code);
  if (!isUntrusted && !/^ERR_(SSL|TLS|OSSL)/.test(code)) return error;
  return new ConnectionError(
    "TLS_FAILED",
    isUntrusted
      ? `the server is not trusted (${reasonOf(error)}): check its certificate, its name and sslrootcert`
      : `the encrypted connection failed (${reasonOf(error)})`,
    { cause: error },
  );
}

/** The reason alone; the rest of OpenSSL's messages are numbers and function names. */
function reasonOf(error: unknown): string {
  return (error as { reason?: string }).reason ?? (error as Error).message;
}
