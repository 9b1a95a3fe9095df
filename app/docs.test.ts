import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Every file of the project, relative to it; what is installed or generated is left out. */
const files = [
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "package-lock.json")
    .map(({ name }) => name),
  ...[".ci", ".github", "app", "bin", "db", "docs", "public", "tests"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
    )
    .filter((file) => !file.startsWith("public/build/")),
];

const records = files.filter((file) => /^docs\/decisions\/(?!README)/.test(file)).sort();

/** Documents that speak of the present; the change log speaks of former times. */
const documents = files.filter((file) =>
  /^(docs\/.*|README|CONTRIBUTING|\.github\/.*)\.md$/.test(file),
);

/** A document without its code blocks, which hold commands and examples. */
const prose = (file: string) => read(file).replace(/^```.*?^```$/gms, "");

describe("the decision records", () => {
  it("have numbers that ascend and are unique", () => {
    const numbers = records.map(
      (file) => /^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1],
    );
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers).not.toContain(undefined);
    expect(numbers).toEqual([...new Set(numbers)].sort());
  });

  it("are listed with their titles, in order", () => {
    const listed = read("docs/decisions/README.md").match(/^- .*$/gm);
    expect(listed).toEqual(
      records.map((file) => {
        const name = file.slice("docs/decisions/".length);
        const title = /^# (.*)$/m.exec(read(file))?.[1];
        return `- [${name.slice(0, 4)}. ${title}](${name})`;
      }),
    );
  });
});

describe("files that documents name", () => {
  const named = namesOf(files);
  const folders = new Set(files.flatMap((file) => file.split("/").slice(0, -1).slice(0, 3)));

  /** What operators and authors make beside the project's files. */
  const operators = new Set([...read(".gitignore").split("\n"), "site.yml", "landing.yml"]);

  /** Whether a quoted word is meant as a file of the project: it has a folder of it, or the ending of a source file. */
  const isOurs = (word: string) =>
    word.includes("/")
      ? folders.has(word.slice(0, word.indexOf("/"))) && !word.startsWith("public/build")
      : /\.(tsx?|mjs|md|css|sql|ya?ml)$/.test(word);

  it("are, when quoted, files that are there", () => {
    const missing = documents.flatMap((file) =>
      [...prose(file).matchAll(/`([\w@.[\]$/-]+)`/g)]
        .map(([, word = ""]) => word)
        .filter((word) => isOurs(word) && !named.has(word.replace(/\/$/, "")))
        .filter((word) => !operators.has(word))
        .map((word) => `${file}: ${word}`),
    );
    expect(missing).toEqual([]);
  });

  it("are, when linked, files and headings that are there", () => {
    const broken = documents.flatMap((file) =>
      [...prose(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => {
          const [path = "", heading] = target.split("#");
          const linked = path ? join(dirname(file), path) : file;
          if (!existsSync(join(root, linked))) return true;
          return heading !== undefined && !headingsOf(linked).includes(heading);
        })
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("hold the function or constant that is said to be in them", () => {
    const places = documents.flatMap((file) =>
      [...prose(file).matchAll(/`(\w+)` in `((?:app|db|tests)\/[\w./$-]+)`/g)].map(
        ([, name = "", path = ""]) => ({ file, name, path }),
      ),
    );
    expect(places.length).toBeGreaterThan(1);
    const missing = places.filter(({ name, path }) => !read(path).includes(name));
    expect(missing).toEqual([]);
  });

  it("are tests that are there, beside the promises of docs/security.md", () => {
    const rows = [...read("docs/security.md").matchAll(/^\|[^|]*\|(.*)\|$/gm)];
    const tests = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`…]+)`/g)]);
    expect(tests.length).toBeGreaterThan(20);
    expect(tests.map(([, test = ""]) => test).filter((test) => !named.has(test))).toEqual([]);
  });
});

describe("the change log", () => {
  it("has a place for what comes next, and the version of package.json", () => {
    const versions = [...read("CHANGELOG.md").matchAll(/^## \[(.*)\](?: - \d{4}-\d\d-\d\d)?$/gm)];
    const [next, ...named] = versions.map(([, version]) => version);
    expect(next).toBe("Unreleased");
    expect(named).toContain(JSON.parse(read("package.json")).version);
  });
});

describe("files that sources name", () => {
  const sources = files.filter(
    (file) => !file.startsWith("public/") && !/\.(woff2|svg|md)$/.test(file),
  );
  // not within another path or address, and not an import, whose ~ the compiler follows
  const path = /(?<![\w/~.-])(?:app|db|docs|tests)\/[\w./$[\]-]+\.(?:tsx?|mjs|md|css|sql|svg)\b/g;

  it("are there", () => {
    const missing = sources.flatMap((file) =>
      [...read(file).matchAll(path)]
        .filter(([name]) => !existsSync(join(root, name)))
        .map(([name]) => `${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("the specification", () => {
  const points = [...prose("docs/specification.md").matchAll(/^## (\d+)\. /gm)].map(([, number]) =>
    Number(number),
  );
  const citing = files.filter((file) => /^(app|db|tests|docs)\/.*\.(tsx?|mjs|md)$/.test(file));
  // a comment's lines as one, so that a citation may be broken
  const joined = (file: string) => read(file).replace(/\n\s*(?:\/\/|\*)?\s*/g, " ");

  it("has every point that is cited", () => {
    const citations = citing.flatMap((file) =>
      [...joined(file).matchAll(/specification, (\d+(?:(?:, | and |, and )\d+)*)/g)].map(
        ([, numbers = ""]) => ({ file, numbers: numbers.match(/\d+/g) ?? [] }),
      ),
    );
    expect(citations.length).toBeGreaterThan(30);
    const unknown = citations.filter(({ numbers }) =>
      numbers.some((number) => !points.includes(Number(number))),
    );
    expect(unknown).toEqual([]);
  });
});

/** Every way to name one of the files or its folders: from any folder on, with all, some or no endings. */
function namesOf(all: string[]): Set<string> {
  const names = new Set<string>();
  for (const file of all) {
    const parts = file.split("/");
    for (let end = parts.length; end > 0; end--) {
      for (let start = 0; start < end; start++) {
        let name = parts.slice(start, end).join("/");
        names.add(name);
        while (end === parts.length && /[^/]\.[^./]+$/.test(name)) {
          name = name.replace(/\.[^./]+$/, "");
          names.add(name);
        }
      }
    }
  }
  return names;
}

/** The anchors a document's headings get: small letters, spaces as hyphens, without punctuation. */
function headingsOf(file: string): string[] {
  return [...prose(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
