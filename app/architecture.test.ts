import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { NODE_FLAGS } from "./tooling/node-flags.mjs";

const root = resolve(import.meta.dirname, "..");

type Import = { from: string; to: string; typeOnly: boolean };

/** Every import of one of our files by another, both relative to the project. */
const imports: Import[] = ["app", "db"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => importsOf(join(folder, file))),
);

function importsOf(from: string): Import[] {
  const source = readFileSync(join(root, from), "utf8");
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?([^"';]*?)from\s*"([^"]+)"|import\("([^"]+)"\)/g;
  return [...source.matchAll(pattern)].flatMap(([, type, names, fixed, lazy]) => {
    const to = ownPath(from, fixed ?? lazy ?? "");
    if (!to) return [];
    const parts = (names ?? "")
      .replace(/[{}]/g, "")
      .split(",")
      .filter((name) => name.trim());
    const typeOnly =
      type !== undefined ||
      (parts.length > 0 && parts.every((name) => name.trim().startsWith("type ")));
    return [{ from, to, typeOnly }];
  });
}

function ownPath(from: string, specifier: string): string | null {
  if (specifier.startsWith("~/")) return `app/${specifier.slice(2)}`;
  if (specifier.startsWith("~db/")) return `db/${specifier.slice(4)}`;
  return specifier.startsWith(".") ? relative(root, resolve(root, dirname(from), specifier)) : null;
}

const list = (rows: Import[]) => rows.map(({ from, to }) => `${from} → ${to}`);

describe("the directions of imports", () => {
  it("finds imports at all", () => {
    expect(imports.length).toBeGreaterThan(50);
  });

  it("lets only server files import values from db/", () => {
    const allowed = /\.server\.tsx?$|^app\/main\.ts$|^app\/server\/|^db\//;
    expect(
      list(
        imports.filter(
          ({ from, to, typeOnly }) => to.startsWith("db/") && !typeOnly && !allowed.test(from),
        ),
      ),
    ).toEqual([]);
  });

  it("keeps db/ free of the app", () => {
    expect(
      list(imports.filter(({ from, to }) => from.startsWith("db/") && to.startsWith("app/"))),
    ).toEqual([]);
  });

  it("keeps the sandbox a stranger to features and database", () => {
    const foreign = /^(db|app\/(features|routes|server|ui|env))/;
    expect(
      list(imports.filter(({ from, to }) => from.startsWith("app/sandbox/") && foreign.test(to))),
    ).toEqual([]);
  });

  it("keeps SQL in db/: features ask queries", () => {
    const drivers = /from "(drizzle-orm|postgres)/;
    const offenders = [...new Set(imports.map(({ from }) => from))].filter(
      (file) =>
        /^app\/(features|routes|ui)\//.test(file) &&
        drivers.test(readFileSync(join(root, file), "utf8")),
    );
    expect(offenders).toEqual([]);
  });

  it("keeps routes from importing each other, and features from importing routes", () => {
    const folder = (path: string) => path.split("/").slice(0, 3).join("/");
    expect(
      list(
        imports.filter(
          ({ from, to }) => to.startsWith("app/routes/") && folder(from) !== folder(to),
        ),
      ),
    ).toEqual([]);
  });

  it("lets one module alone read process.env", () => {
    const readers = readdirSync(join(root, "app"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .filter((file) => readFileSync(join(root, "app", file), "utf8").includes("process.env"));
    expect(readers).toEqual(["env.server.ts"]);
  });
});

describe("the ways to start the program", () => {
  const read = (file: string) => readFileSync(join(root, file), "utf8");

  it("give Node the same flags", () => {
    expect(JSON.parse(read("package.json")).scripts.start).toBe(
      `node ${NODE_FLAGS.join(" ")} app/tooling/start.mjs serve`,
    );
    const entryPoint = /^ENTRYPOINT (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "";
    expect(JSON.parse(entryPoint)).toEqual(["node", ...NODE_FLAGS, "build/index.js"]);
  });
});
