// Finds statements of migrations that break the previous release, which still serves while they run, or that hold a
// lock for long. Squawk (https://squawkhq.com/docs/rules) has rules for PostgreSQL; ours cover what it does not check.
// A statement is accepted by a comment above it: -- accepted ban-drop-column: no release since 0.4 reads it
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** @typedef {{ file: string, line: number, rule: string, message: string }} Finding */

const require = createRequire(import.meta.url);
const SQUAWK = join(dirname(require.resolve("squawk-cli/package.json")), "js/bin/squawk");

/** Matters of style, and timeouts, which db/migrate.ts sets. */
const NOT_OURS = [
  "prefer-bigint-over-int",
  "prefer-bigint-over-smallint",
  "prefer-identity",
  "prefer-robust-stmts",
  "prefer-text-field",
  "prefer-timestamp-tz",
  "require-lock-timeout",
  "require-statement-timeout",
  "require-timeout-settings",
];

const SEPARATOR = "--> statement-breakpoint";

/** @type {{ rule: string, pattern: RegExp, message: string }[]} */
const OWN_RULES = [
  {
    rule: "drop-what-is-used",
    pattern:
      /\bDROP\s+(DEFAULT|SEQUENCE|FUNCTION|TRIGGER|VIEW|MATERIALIZED|TYPE|SCHEMA|IDENTITY)\b/i,
    message: "The release before may rely on what is dropped.",
  },
  {
    rule: "unique-index",
    pattern: /\bCREATE\s+UNIQUE\s+INDEX\b/i,
    message: "The release before may write rows that a unique index on an existing table refuses.",
  },
];

const CHANGES = {
  rule: "change-rows",
  message: "Rows stay locked until all migrations have ended: let the program do it bit by bit.",
};

/** Positions where a statement may begin: also in or after a WITH clause, in a DO block, and in its EXECUTE. */
const BEGINS = /(?:^|[()]|\b(?:BEGIN|THEN|ELSE|LOOP)\b|\bEXECUTE\s+(?:format\s*\(\s*)?')\s*/;
const TABLE = /("[^"]+"(?:\."[^"]+")?)/;

/** A statement that changes rows or locks a table, with the table if its name is quoted. */
const CHANGE = new RegExp(
  `${BEGINS.source}(?:${[
    "(?:UPDATE|DELETE\\s+FROM|TRUNCATE(?:\\s+TABLE)?|LOCK(?:\\s+TABLE)?|MERGE\\s+INTO)(?:\\s+ONLY)?",
    "INSERT\\s+INTO(?=[\\s\\S]*\\bSELECT\\b)",
    "(?:CLUSTER|VACUUM|REINDEX)",
  ].join("|")})\\b\\s*${TABLE.source}?`,
  "gi",
);

/**
 * The unaccepted findings in these migrations.
 *
 * @param {string[]} files paths
 * @param {Record<string, string>} landed reasons by "file rule", for migrations that cannot be changed any more
 * @returns {Finding[]}
 */
export function findUnsafe(files, landed = {}) {
  return files.flatMap((file) => {
    const statements = statementsOf(readFileSync(file, "utf8"));
    /** @type {Finding[]} */
    const findings = [...askSquawk(file), ...askOwnRules(file, statements)];
    return findings.filter(({ line, rule }) => {
      const statement = statements.findLast(({ start }) => start <= line);
      return !landed[`${basename(file)} ${rule}`] && !accepts(statement?.text ?? "", rule);
    });
  });
}

/** @param {string} text */
function statementsOf(text) {
  let line = 0;
  return text.split(SEPARATOR).map((part) => {
    // the first line break belongs to the separator
    const statement = /^\r?\n/.test(part)
      ? { start: line + 1, text: part.replace(/^\r?\n/, "") }
      : { start: line, text: part };
    line += part.split("\n").length - 1;
    return statement;
  });
}

/**
 * @param {string} statement
 * @param {string} rule
 */
function accepts(statement, rule) {
  const comments = statement.match(/^\s*--.*$/gm) ?? [];
  return comments.some((comment) => {
    const [, accepted, reason] = /^\s*-- accepted ([a-z-]+): (.+)$/.exec(comment) ?? [];
    return accepted === rule && (reason ?? "").trim().length >= 10;
  });
}

/**
 * @param {string} file
 * @returns {Finding[]}
 */
function askSquawk(file) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[SQUAWK, "--reporter", "json", "--pg-version", "15", "--assume-in-transaction"],
      ...["--exclude", NOT_OURS.join(","), file],
    ],
    { encoding: "utf8" },
  );
  // 1 says that it has found something
  if (status !== 0 && status !== 1) throw new Error(`squawk does not run: ${stderr || status}`);
  /** @type {{ line: number, rule_name: string, message: string }[]} */
  const found = JSON.parse(stdout || "[]");
  return found.map(({ line, rule_name, message }) => ({ file, line, rule: rule_name, message }));
}

/**
 * @param {string} file
 * @param {{ start: number, text: string }[]} statements
 * @returns {Finding[]}
 */
function askOwnRules(file, statements) {
  const made = new Set(
    statements
      .flatMap(({ text }) => [
        ...text.matchAll(/\bCREATE TABLE (?:IF NOT EXISTS )?("[^"]+"(?:\."[^"]+")?)/gi),
      ])
      .map(([, name]) => name),
  );
  return statements.flatMap(({ start, text }) => {
    const line = start + text.slice(0, text.search(/^\s*[^-\s]/m)).split("\n").length - 1;
    const found = singleStatements(text).flatMap((statement) => {
      const table = new RegExp(`\\b(?:ON|UPDATE|FROM|INTO)\\s+${TABLE.source}`, "i").exec(
        statement,
      );
      const isNew = table?.[1] !== undefined && made.has(table[1]);
      const changed = [...statement.matchAll(CHANGE)].map(([, table]) => table);
      return [
        ...OWN_RULES.filter(({ pattern }) => !isNew && pattern.test(statement)),
        ...(changed.some((table) => !table || !made.has(table)) ? [CHANGES] : []),
      ];
    });
    return found.map(({ rule, message }) => ({ file, line, rule, message }));
  });
}

/**
 * The single statements that are run, including those of a DO block, without function bodies, which run later.
 *
 * @param {string} text
 */
function singleStatements(text) {
  return text
    .replace(/--.*$/gm, "")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\bDO\s+(?:LANGUAGE\s+\w+\s+)?\$(\w*)\$([\s\S]*?)\$\1\$/gi, ";$2;")
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "")
    .replace(/'(?:[^']|'')*'/g, (literal) => literal.replaceAll(";", " "))
    .split(";")
    .map((statement) => statement.trim());
}
