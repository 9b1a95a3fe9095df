import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { circlesAmong, type Import, importsOf, ROOT, sourceFiles } from "../tests/support/imports";
import { NODE_FLAGS } from "./tooling/node-flags.mjs";

/**
 * The rooms of the house, from the top down (docs/architecture.md). A file may import from its own room and
 * from those below, never from one above; rooms on one line do not know each other.
 */
const FLOORS: string[][] = [
  ["app/main.ts"],
  ["app/commands/"],
  ["app/entry.server.tsx"],
  ["app/server/"],
  ["app/root.tsx", "app/routes/", "app/entry.client.tsx"],
  ["app/shell/"],
  ["app/features/desk/"],
  ["app/features/checks/"],
  [
    "app/features/landing/",
    "app/features/seo/",
    "app/features/my-account/",
    "app/features/backup/",
    "app/features/statistics/",
  ],
  [
    "app/features/newsletter/",
    "app/features/billing/",
    "app/features/library/",
    "app/features/community/",
  ],
  ["app/features/accounts/"],
  ["app/features/membership/", "app/features/mail/"],
  ["app/features/site/"],
  ["app/features/markdown/"],
  ["app/http/"],
  ["app/data-directory.server.ts", "app/project-root.server.ts"],
  ["app/observability/"],
  ["app/ui/", "app/styles/"],
  ["app/env.server.ts"],
  ["app/environment/"],
  ["app/toast-messages.ts"],
  ["db/"],
];

/** What somebody else's service, or what runs before anything is installed, may know: itself. */
const APART = ["app/sandbox/", "app/tooling/"];

const isTest = (file: string) => /\.test\.tsx?$/.test(file);
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const files = sourceFiles(["app", "db"]).filter((file) => !isTest(file));
const imports: Import[] = files.flatMap(importsOf);
const list = (rows: Import[]) => rows.map(({ from, to }) => `${from} → ${to}`);

const roomOf = (file: string) => FLOORS.flat().find((room) => file.startsWith(room));
const floorOf = (file: string) =>
  FLOORS.findIndex((rooms) => rooms.some((room) => file.startsWith(room)));
const isApart = (file: string) => APART.some((room) => file.startsWith(room));

describe("the rooms", () => {
  it("hold every file, plain JavaScript included", () => {
    expect(files.length).toBeGreaterThan(300);
    expect(files.some((file) => file.endsWith(".mjs"))).toBe(true);
    const homeless = files.filter(
      (file) => floorOf(file) === -1 && !isApart(file) && file !== "app/remix.d.ts",
    );
    expect(homeless).toEqual([]);
  });

  it("import from below only", () => {
    expect(imports.length).toBeGreaterThan(500);
    const upward = imports.filter(
      ({ from, to }) =>
        !isApart(from) &&
        !isApart(to) &&
        roomOf(from) !== roomOf(to) &&
        floorOf(to) <= floorOf(from),
    );
    expect(list(upward)).toEqual([]);
  });

  it("import one another in no circle, down to the single file", () => {
    expect(circlesAmong(imports)).toEqual([]);
  });

  it("keep the local services and the tooling strangers to the site, and the site to the tooling", () => {
    const across = imports.filter(({ from, to }) => {
      const apart = APART.find((room) => from.startsWith(room));
      return apart !== undefined && !to.startsWith(apart);
    });
    expect(list(across)).toEqual([]);
    const toolingUsed = imports.filter(
      ({ from, to }) => to.startsWith("app/tooling/") && !isApart(from),
    );
    expect(list(toolingUsed)).toEqual([]);
  });

  it("let the host alone start the local services, which are no part of it", () => {
    const users = imports.filter(
      ({ from, to }) => to.startsWith("app/sandbox/") && !from.startsWith("app/sandbox/"),
    );
    expect(list(users)).toEqual([
      "app/server/serve.server.ts → app/sandbox/stripe/server.server.ts",
    ]);
    expect(users.filter(({ typeOnly }) => !typeOnly)).toEqual([]);
  });
});

describe("the packages", () => {
  const sources = sourceFiles(["app", "db"]).filter(
    (file) => !file.startsWith("app/sandbox/") && !isTest(file),
  );
  const matching = (pattern: RegExp) =>
    sources.filter((file) => pattern.test(withoutComments(read(file))));

  it("are used by their documented entries, never by a file inside them", () => {
    const inside = /["'](?![.~#/])[^"'\s]+\/(dist|lib|src|cjs|esm|internal)\/[^"'\s]*["']/;
    // what `npx remix` runs
    const documented = ["@remix-run/dev/dist/cli.js", "nodemailer/lib/addressparser"];
    const found = sources.flatMap(
      (file) => withoutComments(read(file)).match(new RegExp(inside, "g")) ?? [],
    );
    const others = found.filter((text) => !documented.includes(text.slice(1, -1)));
    expect(others).toEqual([]);
  });

  it("keep their private fields to themselves, as Node does", () => {
    // COPY, which postgres.js would wait for for ever (docs/decisions/0048-standard-parts.md)
    const known = ["db/connection.ts"];
    expect(matching(/[\w\])]\??\._(?!_|domainkey)\w|\[["']_\w/)).toEqual(known);
  });

  it("are bundled as they are", () => {
    expect(matching(/\bonLoad\(|\bonResolve\(|patch-package/)).toEqual([]);
  });
});

describe("the directions of imports", () => {
  it("lets only server files import values from db/", () => {
    const allowed = /\.server\.tsx?$|^db\//;
    expect(
      list(
        imports.filter(
          ({ from, to, typeOnly }) => to.startsWith("db/") && !typeOnly && !allowed.test(from),
        ),
      ),
    ).toEqual([]);
  });

  it("keeps SQL in db/: features ask queries", () => {
    const drivers = /from "(drizzle-orm|postgres)/;
    const offenders = files.filter((file) => file.startsWith("app/") && drivers.test(read(file)));
    expect(offenders).toEqual([]);
  });

  it("keeps routes from importing each other", () => {
    const folder = (path: string) => path.split("/").slice(0, 3).join("/");
    expect(
      list(
        imports.filter(
          ({ from, to }) =>
            from.startsWith("app/routes/") &&
            to.startsWith("app/routes/") &&
            folder(from) !== folder(to),
        ),
      ),
    ).toEqual([]);
  });

  it("lets one module alone read the settings of the environment", () => {
    const readers = files.filter(
      (file) =>
        file.startsWith("app/") && /\.tsx?$/.test(file) && read(file).includes("process.env"),
    );
    expect(readers).toEqual(["app/env.server.ts"]);
  });

  it("keeps tests out of the program, and the tests' tools out of the tests", () => {
    expect(list(imports.filter(({ to }) => to.startsWith("tests/")))).toEqual([]);
    const ofTests = sourceFiles(["tests"])
      .filter((file) => !file.startsWith("tests/tools/"))
      .flatMap(importsOf);
    expect(list(ofTests.filter(({ to }) => to.startsWith("tests/tools/")))).toEqual([]);
    expect(circlesAmong(ofTests)).toEqual([]);
  });
});

describe("facts", () => {
  it.each([
    ["The Golden Path", "app/features/site/sample-site.ts"],
    ["Maren", "app/features/site/sample-site.ts"],
    ["24.99", "app/features/site/sample-site.ts"],
    ["unitAmount: 999", "app/features/membership/premium-price.ts"],
    ["images.unsplash.com", "app/features/landing/stock-photo.ts"],
    ["//checkout.stripe.com", "app/features/billing/stripe-origins.server.ts"],
    ["//js.stripe.com", "app/features/billing/stripe-origins.server.ts"],
    ["//api.stripe.com", "app/features/billing/stripe-origins.server.ts"],
  ])("such as %s have one home", (fact, home) => {
    const code = files.filter((file) => !file.startsWith("app/sandbox/"));
    const stating = code.filter((file) => withoutComments(read(file)).includes(fact));
    expect(stating).toEqual([home]);
  });
});

describe("HTTP", () => {
  const features = files.filter((file) => file.startsWith("app/features/"));
  const accounts = (name: string) => `app/features/accounts/${name}.server.ts`;
  const guards = accounts("viewer");

  it("is answered by routes: of the features, the guards alone redirect or reject", () => {
    const answers = [
      /import \{[^}]*\b(redirect|redirectDocument|replace|json|data|defer)\b[^}]*\} from "@remix-run\//,
      /\bnew Response\(/,
      /\bResponse\.(json|redirect|error)\(/,
    ];
    expect(features.length).toBeGreaterThan(100);
    const makers = features.filter((file) => answers.some((answer) => answer.test(read(file))));
    expect(makers).toEqual([
      guards,
      "app/features/desk/author.server.ts",
      "app/features/library/require-reader.server.ts",
    ]);
    const tools = /^app\/http\/(form-answer|page-form|payment-redirect|request-body)\./;
    const users = imports.filter(
      ({ from, to, typeOnly }) => from.startsWith("app/features/") && tools.test(to) && !typeOnly,
    );
    expect(list(users)).toEqual([
      `${guards} → app/http/request-body.server.ts`,
      "app/features/desk/author.server.ts → app/http/request-body.server.ts",
    ]);
  });

  it("is read by routes: features take plain values, but for guards, cookies and remix-auth", () => {
    const requests =
      /\b(AppLoadContext|ActionFunctionArgs|LoaderFunctionArgs|FormBody)\b|: Request\b|\bnew Request\(/;
    expect(features.filter((file) => requests.test(read(file)))).toEqual([
      accounts("authenticator"),
      accounts("destination-cookie"),
      accounts("known-browser"),
      accounts("sessions"),
      accounts("sign-in-cookies"),
      guards,
      "app/features/desk/author.server.ts",
      "app/features/library/require-reader.server.ts",
    ]);
  });
});

describe("the ways to start the program", () => {
  it("give Node the same flags", () => {
    expect(JSON.parse(read("package.json")).scripts.start).toBe(
      `node ${NODE_FLAGS.join(" ")} app/tooling/start.mjs serve`,
    );
    expect(read("Dockerfile")).toContain(` NODE_OPTIONS="${NODE_FLAGS.join(" ")}"\n`);
    expect(read("docs/deploy/golden-path.service")).toContain(
      `ExecStart=/usr/bin/node ${NODE_FLAGS.join(" ")} build/index.js serve\n`,
    );
  });
});
