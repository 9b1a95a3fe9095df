import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serverProgram } from "./server-programs.mjs";

/** A certificate and its key, as files in PEM. */
export type Certificate = { certificate: string; key: string };

/** A certificate authority that signs certificates into one folder. */
export type Authority = {
  /** The path of the root certificate, for clients that trust it. */
  root: string;
  /** Signs a certificate for a name: of a server's host, or of a client. */
  issue(name: string, options?: { also?: string[]; password?: string; days?: number }): Certificate;
};

/** Creates an authority with openssl, which the machine must have. */
export function createAuthority(folder: string, name: string): Authority {
  const root = join(folder, `${name}.crt`);
  const rootKey = join(folder, `${name}.key`);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  openssl(
    ...["req", "-x509", ...newKey, "-nodes", "-keyout", rootKey, "-out", root],
    ...["-days", "30", "-subj", `/CN=${name}`],
  );
  return {
    root,
    issue: (subject, { also = [], password, days = 30 } = {}) => {
      const base = join(folder, `${name}-${subject}-${days}${password ? "-locked" : ""}`);
      const [certificate, key, request, extensions] = ["crt", "key", "csr", "ext"].map(
        (ending) => `${base}.${ending}`,
      ) as [string, string, string, string];
      writeFileSync(
        extensions,
        `subjectAltName=${[subject, ...also].map((host) => `DNS:${host}`).join(",")}\n`,
      );
      const lock = password ? ["-passout", `pass:${password}`] : ["-nodes"];
      openssl(
        ...["req", "-new", ...newKey, ...lock, "-keyout", key, "-out", request],
        ...["-subj", `/CN=${subject}`],
      );
      openssl(
        ...["x509", "-req", "-in", request, "-CA", root, "-CAkey", rootKey, "-CAcreateserial"],
        ...["-days", String(days), "-extfile", extensions, "-out", certificate],
      );
      chmodSync(key, 0o600);
      return { certificate, key };
    },
  };
}

function openssl(...parameters: string[]): void {
  execFileSync(serverProgram("openssl") ?? "openssl", parameters, { stdio: "pipe" });
}
