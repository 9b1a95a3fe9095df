import { spawn } from "node:child_process";
import { constants } from "node:os";
import { env, variablesWith } from "~/env.server";
import { forLibpq, separatePassword } from "~db/database-url";
import { openEmbeddedPostgres } from "~db/embedded";
import { findEmbeddedUrl } from "~db/embedded-url";
import { OperatorError } from "~db/operator-error";
import { print } from "./output.server";

/** `db url`: prints the database's address, with its password, for `psql` and its like. */
export async function url({ superuser = false }: { superuser?: boolean }): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (DATABASE_URL) {
    if (superuser) {
      throw new OperatorError(
        "--superuser: only the embedded database's is known here, and DATABASE_URL is set.",
      );
    }
    return print(forLibpq(DATABASE_URL));
  }
  const found = await findEmbeddedUrl(DATA_DIR, superuser ? "superuser" : "site");
  if (found === null) {
    throw new OperatorError(
      `The embedded database in DATA_DIR ${DATA_DIR} runs only while one of this site's programs does: start the site first, or use 'db psql', which runs it for a session.`,
    );
  }
  print(found);
}

/** `db psql`: runs psql on the database, which it starts if the site does not run; ends with psql's exit code. */
export async function psql(parameters: string[]): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = env();
  const embedded = DATABASE_URL
    ? null
    : await openEmbeddedPostgres({ dataDir: DATA_DIR, purpose: "command", create: false });
  try {
    process.exitCode = await runPsql(DATABASE_URL ?? embedded?.url ?? "", parameters);
  } finally {
    await embedded?.stop();
  }
}

async function runPsql(url: string, parameters: string[]): Promise<number> {
  const { address, password } = separatePassword(forLibpq(url));
  const child = spawn("psql", [address, ...parameters], {
    stdio: "inherit",
    env: variablesWith(password === null ? {} : { PGPASSWORD: password }) as NodeJS.ProcessEnv,
  });
  // Ctrl-C cancels a statement in psql, and must not end this process before it
  const ignore = () => {};
  process.on("SIGINT", ignore);
  const end = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  try {
    return await new Promise((done, fail) => {
      child.once("error", fail);
      child.once("exit", (code, signal) =>
        done(code ?? 128 + constants.signals[signal ?? "SIGHUP"]),
      );
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new OperatorError(
      "psql is not installed: install it (Debian's package is 'postgresql-client'), or use another program with the address that 'db url' prints.",
      { cause: error },
    );
  } finally {
    process.off("SIGINT", ignore);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, end);
  }
}
