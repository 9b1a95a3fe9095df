// Fails if db/schema.ts and the migrations differ: generates a migration into a copy, without a database or
// network, and checks whether there was anything to generate.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const migrations = join(root, "db/migrations");
const kit = join(dirname(createRequire(import.meta.url).resolve("drizzle-kit")), "bin.cjs");

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
  // it reports some failures with status 0 and a message
  const text = `${stdout}${stderr}`;
  return { status: /error/i.test(text) ? 1 : status, text };
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
