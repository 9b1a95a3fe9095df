import { readFileSync } from "node:fs";
import { SECRET_NAMES } from "./schema.server";

type Variables = Record<string, string>;

/** What is wanted of a variable such as `SMTP_URL_FILE`. */
const WANTED = "the path of a readable file that contains the secret";

/**
 * The variables with each `X_FILE` of a secret setting replaced by X, read from that file without its last line break:
 * the form in which Docker and Kubernetes pass secrets. X itself takes precedence. `problems` maps a variable to what
 * is wanted of it, `warnings` are sentences.
 */
export function readSecretFiles(variables: Variables) {
  const settings = { ...variables };
  const problems = new Map<string, string>();
  const warnings: string[] = [];
  for (const name of SECRET_NAMES) {
    const fileName = `${name}_FILE`;
    const path = settings[fileName];
    if (path === undefined) continue;
    delete settings[fileName];
    if (settings[name] !== undefined) {
      warnings.push(`${fileName} is ignored, because ${name} is set too.`);
      continue;
    }
    const secret = readSecret(path);
    if (secret) settings[name] = secret;
    else problems.set(fileName, WANTED);
  }
  return { settings, problems, warnings };
}

function readSecret(path: string): string | null {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    return null;
  }
}
