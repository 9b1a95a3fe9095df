import { isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { ConnectionError } from "./database-errors";
import type { TlsSettings } from "./tls-settings";

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, SSLRequest. */
const SSL_REQUEST_CODE = 80_877_103;

/** What is wrong with a server's certificate, by the code of OpenSSL's or Node's error. */
const CERTIFICATE_PROBLEMS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself; name it in sslrootcert",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an authority that sslrootcert does not name",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is of an authority that sslrootcert does not name",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is of an authority that sslrootcert does not name",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate is of an authority that sslrootcert does not name",
  CERT_SIGNATURE_FAILURE: "its certificate is of an authority that sslrootcert does not name",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; look at both machines' clocks",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another host name, which sslmode=verify-full does not accept",
};

/**
 * Asks the server on a new socket for TLS and, if it agrees, returns the encrypted socket once the certificate has
 * been checked as the mode demands. In mode `prefer` a server without TLS gets the plain socket back; in the stronger
 * modes that rejects with a ConnectionError, as does a certificate that does not pass.
 */
export async function encrypt(
  socket: Socket,
  host: string,
  settings: TlsSettings,
): Promise<Socket> {
  const request = Buffer.alloc(8);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(SSL_REQUEST_CODE, 4);
  socket.write(request);
  const answer = await firstByte(socket);
  if (answer !== "S") {
    // the answer that was read has paused it
    if (settings.mode === "prefer" || settings.mode === "allow") return socket.resume();
    throw new ConnectionError(
      "TLS_REFUSED",
      `the server offers no TLS, which sslmode=${settings.mode} asks for`,
    );
  }
  const verifies = settings.mode === "verify-ca" || settings.mode === "verify-full";
  const secured = connectTls({
    socket,
    // against what the certificate's names are checked
    host,
    ...(isIP(host) ? {} : { servername: host }),
    rejectUnauthorized: verifies,
    ...(settings.mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(settings.rootCertificates === null ? {} : { ca: settings.rootCertificates }),
    ...(settings.certificate === null ? {} : { cert: settings.certificate }),
    ...(settings.key === null ? {} : { key: settings.key }),
    ...(settings.keyPassword === null ? {} : { passphrase: settings.keyPassword }),
  });
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(explainTlsFailure(error));
    secured.once("error", fail);
    secured.once("secureConnect", () => {
      secured.off("error", fail);
      resolve(secured);
    });
  });
}

/** Throws at once for a key that does not open or does not belong to the certificate. */
function connectTls(options: ConnectionOptions): TLSSocket {
  try {
    return connect(options);
  } catch (error) {
    const reason = (error as { reason?: string }).reason ?? (error as Error).message;
    throw new ConnectionError(
      "TLS_FAILED",
      `sslcert, sslkey and sslpassword do not fit together, or sslrootcert is no certificate (${reason})`,
      { cause: error },
    );
  }
}

/** A failure of TLS as one that names its cause in plain words; any other error unchanged. */
export function explainTlsFailure(error: NodeJS.ErrnoException): Error {
  const code = error.code ?? "";
  const problem = CERTIFICATE_PROBLEMS[code];
  if (problem !== undefined) {
    return new ConnectionError("TLS_FAILED", `the server is not trusted: ${problem}`, {
      cause: error,
    });
  }
  if (/^ERR_(SSL|TLS|OSSL)/.test(code)) {
    // the rest of OpenSSL's message are numbers and names of its functions
    const reason = (error as { reason?: string }).reason ?? error.message;
    return new ConnectionError("TLS_FAILED", `the encrypted connection failed (${reason})`, {
      cause: error,
    });
  }
  return error;
}

function firstByte(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      socket.off("data", read).off("error", reject).off("close", closed);
    };
    const read = (data: Buffer) => {
      settle();
      socket.pause();
      // more than one byte would be an attempt to have plain text taken for encrypted (CVE-2021-23222)
      if (data.length === 1) return resolve(data.toString("latin1"));
      reject(
        new ConnectionError("TLS_FAILED", "the server answered the request for TLS with more"),
      );
    };
    const closed = () => {
      settle();
      reject(new ConnectionError("CONNECTION_CLOSED", "The connection to the database is closed."));
    };
    socket.on("data", read).once("error", reject).once("close", closed);
  });
}
