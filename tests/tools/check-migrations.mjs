// Fails if db/schema.ts and the migrations differ: generates a migration into a copy, without a database or network,
// and checks whether it is empty. Also fails if a migration would break the previous release, which still serves
// while it runs, or hold a lock for long.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { findUnsafe } from "../support/migration-safety.mjs";

const root = resolve(import.meta.dirname, "../..");
const migrations = join(root, "db/migrations");
const kit = join(dirname(createRequire(import.meta.url).resolve("drizzle-kit")), "bin.cjs");

/** Accepted findings in migrations older than this check, which never change. */
const LANDED = {
  "0002_billing_syncs.sql require-concurrent-index-creation": "a row for each member only",
  "0002_billing_syncs.sql require-concurrent-index-deletion": "no query used it",
  "0002_billing_syncs.sql change-rows": "a row for each member only",
  "0003_mail_queue.sql require-concurrent-index-creation": "100,000 addresses take a second",
  "0003_mail_queue.sql unique-index": "on a new column, which is null in all rows",
  "0004_mail_indexes_without_queued.sql require-concurrent-index-creation": "no release before",
  "0004_mail_indexes_without_queued.sql require-concurrent-index-deletion": "no release before",
  "0006_heading_search.sql adding-field-with-default": "a few dozen rows, from an unreleased one",
  "0007_account.sql adding-field-with-default": "sessions are few, and rewritten in a second",
  "0007_account.sql require-concurrent-index-creation": "sessions are few",
  "0007_account.sql unique-index": "on random ids of the database's own",
  "0008_statistics.sql change-rows": "a row for each member only, and first",
};

mkdirSync(join(root, ".cache"), { recursive: true });
const copy = mkdtempSync(join(root, ".cache/check-migrations-"));
try {
  cpSync(migrations, copy, { recursive: true });
  // drizzle-kit accepts only folders relative to the project
  const out = relative(root, copy);
  const options = ["--dialect", "postgresql", "--out", out];
  const outputs = [
    run("check", options),
    run("generate", [...options, "--schema", "db/schema.ts"]),
  ];
  const before = new Set(readdirSync(migrations));
  const added = readdirSync(copy).filter((file) => !before.has(file));

  if (added.length > 0) {
    fail(
      `db/schema.ts says more than db/migrations: run 'npm run db:generate'. It would add:\n\n${added
        .map((file) => readFileSync(join(copy, file), "utf8"))
        .join("\n")}`,
    );
  } else if (outputs.some(({ status }) => status !== 0)) {
    fail(
      `drizzle-kit cannot compare db/schema.ts with db/migrations:\n\n${outputs.map(({ text }) => text).join("\n")}`,
    );
  } else {
    console.log("Schema and migrations agree.");
  }
  const files = [...before].filter((file) => file.endsWith(".sql")).sort();
  for (const { file, line, rule, message } of findUnsafe(
    files.map((file) => join(migrations, file)),
    LANDED,
  )) {
    fail(
      `${basename(file)}:${line + 1}: ${rule}: ${message} If it has to be, write above it: -- accepted ${rule}: why`,
    );
  }
  if (!process.exitCode) console.log("The release before can serve while they run.");
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/**
 * @param {string} command of drizzle-kit
 * @param {string[]} options
 */
function run(command, options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [kit, command, ...options], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  // some failures have status 0 and a message
  const text = `${stdout}${stderr}`;
  return { status: /error/i.test(text) ? 1 : status, text };
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
