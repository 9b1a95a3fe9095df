import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { SECRET_NAMES, SETTING_NAMES } from "~/environment/schema.server";
import { createProgram } from "./program.server";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const program = createProgram();

/** All current documents; decision records may name what was removed since. */
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

type Described = { path: string; usage: string; command: Command };

/** Commands that do something, with the words that call them, in the order of the help. */
function commandsBelow(command: Command, words: string[] = []): Described[] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((child) => {
      // the default command
      const isMeant = child === meantOf(command) && words.length > 0;
      return commandsBelow(child, isMeant ? words : [...words, child.name()]);
    });
  }
  const path = words.join(" ");
  const values = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? "…" : "");
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [{ path, usage: [path, ...values].join(" "), command }];
}

/** The default command of a group. */
function meantOf(group: Command): Command | undefined {
  const { _defaultCommandName: name } = group as unknown as { _defaultCommandName: string | null };
  return group.commands.find((each) => each.name() === name);
}

const commands = commandsBelow(program);

/** docs/commands.md, which `npx vitest run --project unit app/commands -u` writes anew. */
function page(): string {
  const sections = new Map<string, Described[]>();
  for (const described of commands) {
    const [group = ""] = described.path.split(" ");
    const isGroup = program.commands.find((each) => each.name() === group)?.commands.length !== 0;
    const title = isGroup ? group : "";
    sections.set(title, [...(sections.get(title) ?? []), described]);
  }
  const entry = ({ usage, command }: Described) => [
    `- \`${usage}\`: ${command.description()}`,
    ...command.options.map(({ flags, description }) => `  - \`${flags}\`: ${description}`),
  ];
  const pageOf = [...sections].flatMap(([group, all]) => {
    const about = program.commands.find((each) => each.name() === group);
    const heading = group === "" ? "## The site" : `## ${group}: ${about?.description()}`;
    return [heading, "", ...all.flatMap(entry), ""];
  });
  return `${[
    "# Commands",
    "",
    "```sh",
    "golden-path doctor",
    "```",
    "",
    "This runs a command with the site's settings and as its user, in a container or beside systemd. Run it as root.",
    "`docs/deploying.md` installs it; in a checkout it is `bin/golden-path`.",
    "",
    "Files are found from where you are, or in the site's folder: `letters`, `backups` and `content` in `/opt/golden-path`",
    "with containers, which see no others, and in `/var/lib/golden-path` with systemd. New files are written there.",
    "",
    "`--help` after a command prints its options. `npx vitest run --project unit app/commands -u` writes this page.",
    "",
    ...pageOf,
  ].join("\n")}`;
}

describe("docs/commands.md", () => {
  it("has every command and every option", async () => {
    await expect(page()).toMatchFileSnapshot(join(root, "docs/commands.md"));
  });
});

describe("the commands that the documents give", () => {
  /** The words after `golden-path` at the beginning of a command in the documents. */
  const given = documents.flatMap((file) =>
    [
      ...read(file).matchAll(
        /(?:^ *|`|\$\(|"|\w=\S+ )(?:bin\/)?golden-path((?: (?:[^\s`"'>|;&#)]+))*)(?=[\s`")])/gm,
      ),
    ].map(([, words = ""]) => ({ file, words: words.split(" ").filter(Boolean) })),
  );

  it("are there, with their options", () => {
    expect(given.length).toBeGreaterThan(20);
    const unknown = given.flatMap(({ file, words }) => {
      let command = program as Command;
      const rest = [...words];
      for (;;) {
        const next = command.commands.find((each) => each.name() === rest[0]);
        if (!next) break;
        command = next;
        rest.shift();
      }
      command = command === program ? command : (meantOf(command) ?? command);
      // psql's own
      const takesAny = command.registeredArguments.some(({ variadic }) => variadic);
      const isWhole = command.commands.length === 0 || rest[0] === "…";
      const isKnown = isWhole || words.length === 0;
      const flags = rest
        .map((word) => /^--?[a-z][\w-]*/.exec(word.replace(/^\[/, ""))?.[0])
        .filter((flag) => flag !== undefined)
        .filter(
          (flag) =>
            !command.options.some(({ short, long }) => [short, long].includes(flag)) &&
            flag !== "--help",
        );
      return isKnown && (takesAny || flags.length === 0) ? [] : [`${file}: ${words.join(" ")}`];
    });
    expect(unknown).toEqual([]);
  });
});

describe("the way to run commands", () => {
  it("is the same on each page", () => {
    const others = /node build\/index\.js|docker compose (exec|run) site|systemd-run/;
    expect(documents.filter((file) => others.test(read(file)))).toEqual([]);
  });
});

describe("the variables that the documents name", () => {
  /** Variables of other programs and of the tests, and parts that settings are composed of. */
  const OTHERS = new Set([
    "NODE_ENV",
    "NODE_OPTIONS",
    "LISTEN_FDS",
    "GOLDEN_PATH_IMAGE",
    "CADDY_ADDRESSES",
    "CADDY_UPSTREAM",
    "NODE_EXTRA_CA_CERTS",
    "FIREFOX_PATH",
  ]);

  it("are settings of the program, or those of others that are listed here", () => {
    // CONTRIBUTING.md names constants of the sources
    const named = documents
      .filter((file) => file !== "CONTRIBUTING.md")
      .flatMap((file) =>
        [...read(file).matchAll(/(?:`|^|\s)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?==|`)/gm)].map(
          ([, name = ""]) => ({ file, name }),
        ),
      );
    expect(named.length).toBeGreaterThan(50);
    const sources = readTests();
    const isSetting = (name: string) =>
      SETTING_NAMES.includes(name) || SECRET_NAMES.has(name.replace(/_FILE$/, ""));
    const unknown = named.filter(
      ({ name }) => !isSetting(name) && !OTHERS.has(name) && !sources.includes(name),
    );
    expect(unknown).toEqual([]);
  });

  /** The tests and tools, whose own variables are read there. */
  function readTests(): string {
    const files = readdirSync(join(root, "tests"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    const used = files.flatMap((text) => [...text.matchAll(/process\.env\.(\w+)/g)]);
    return used.map(([, name]) => name).join(" ");
  }
});

describe("the scripts that the documents name", () => {
  it("are those of package.json, and all of those", () => {
    const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
    const named = new Set(
      documents.flatMap((file) =>
        [...read(file).matchAll(/npm\s+run\s+([a-z][\w:-]*)/g)].map(([, name = ""]) => name),
      ),
    );
    const known = new Set([...named, "test", "start"]);
    expect([...named].filter((name) => !scripts.includes(name))).toEqual([]);
    expect(scripts.filter((name) => !known.has(name))).toEqual([]);
  });
});
