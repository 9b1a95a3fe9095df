import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, NO_OTHER_HOSTS } from "../../support/browsers/chromium.mjs";
import { DevelopmentSite } from "../../support/development-site";
import { hydrated } from "../../support/hydrated.mjs";
import { watchForErrors } from "../../support/pages";
import { policyOf } from "../../support/security-headers";

/** A page that shows a text each from its component, its loader and the database. */
const PROBE = join("app", "routes/probe/route.tsx");
const PROBE_QUERY = join("db", "queries/probe.ts");
const PROBE_FILES = {
  [PROBE]: `
    import { useLoaderData } from "@remix-run/react";
    import { queryProbe } from "~db/queries/probe";
    export const loader = async () => ({ loaded: "loaded first", queried: await queryProbe() });
    export default function Probe() {
      const { loaded, queried } = useLoaderData<typeof loader>();
      return <h1 className="probe">rendered first, {loaded}, {queried}</h1>;
    }`,
  [PROBE_QUERY]: `
    import { sql } from "drizzle-orm";
    import { getDatabase } from "../client";
    export async function queryProbe() {
      const [row] = await getDatabase().db.execute(sql\`select 'queried first' as text\`);
      return String(row?.text);
    }`,
};

let site: DevelopmentSite;
let browser: Browser;
let page: Page;
let errors: string[];

beforeAll(async () => {
  site = await DevelopmentSite.start(PROBE_FILES);
  browser = await launchChromium({ args: [NO_OTHER_HOSTS] });
  page = await browser.newPage({ baseURL: site.origin });
  errors = watchForErrors(page);
});

afterAll(async () => {
  await browser?.close();
  await site?.interrupt();
  site?.remove();
});

/** Edits, and waits until the page has taken the change over, with or without being loaded again. */
async function editAndAwait(edit: () => void, isShown: () => Promise<unknown>): Promise<void> {
  edit();
  await expect.poll(() => isShown().catch(() => false)).toBe(true);
}

const textOf = (selector: string) => page.locator(selector).textContent();

describe("npm run dev", () => {
  it("runs the page under its policy, extended only by the live-reload connection", async () => {
    const answer = await page.goto("/");
    await hydrated(page);
    const policy = policyOf({ headers: answer?.headers() ?? {} });
    expect(policy["connect-src"]).toEqual([
      "'self'",
      expect.stringMatching(/^ws:\/\/localhost:\d+$/),
    ]);
    expect(policy["script-src"]?.[0]).toBe("'self'");
    for (const source of policy["script-src"]?.slice(1) ?? []) {
      expect(source).toMatch(/^'sha256-/);
    }
    expect(errors).toEqual([]);
  });

  it("shows an edited component on a page that the site caches", async () => {
    await editAndAwait(
      () => site.replace("app/root.tsx", "Skip to content", "Skip the edited header"),
      async () => (await textOf(".skip-link")) === "Skip the edited header",
    );
  });

  it("shows an edited style sheet", async () => {
    const edited = "body { letter-spacing: 3px; }\n@theme static {";
    const spacing = () => getComputedStyle(document.body).letterSpacing;
    await editAndAwait(
      () => site.replace("app/styles/app.css", "@theme static {", edited),
      async () => (await page.evaluate(spacing)) === "3px",
    );
  });

  it("shows an edited color", async () => {
    const color = () => getComputedStyle(document.body).color;
    await editAndAwait(
      () => site.replace("app/styles/colors.mjs", 'ink: "#211d18"', 'ink: "#123456"'),
      async () => (await page.evaluate(color)) === "rgb(18, 52, 86)",
    );
  });

  it("shows edits of a component, a loader and a query", async () => {
    await page.goto("/probe");
    const heading = page.locator("h1.probe");
    expect(await heading.textContent()).toBe("rendered first, loaded first, queried first");
    for (const [file, word] of [
      [PROBE, "rendered"],
      [PROBE, "loaded"],
      [PROBE_QUERY, "queried"],
    ] as const) {
      await editAndAwait(
        () => site.replace(file, `${word} first`, `${word} again`),
        async () => (await heading.textContent())?.includes(`${word} again`),
      );
    }
    // the previous builds' files are removed
    const roots = site.filesIn("public/build")?.filter((file) => /^root-\w+\.js$/.test(file));
    expect(roots).toHaveLength(1);
  });

  it("generates the style of a utility that is used for the first time", async () => {
    const spacing = () => getComputedStyle(document.querySelector("h1") as Element).letterSpacing;
    await editAndAwait(
      () => site.replace(PROBE, '"probe"', '"probe tracking-[0.375em] text-[40px]"'),
      async () => (await page.evaluate(spacing)) === "15px",
    );
  });

  it("reports an edit that does not compile, keeps the page, and shows the next good edit", async () => {
    site.replace(PROBE, "rendered again", "rendered <b> badly");
    await site.prints(/ERROR.*probe\/route\.tsx/s);
    await page.reload();
    const heading = page.locator("h1.probe");
    expect(await heading.textContent()).toContain("rendered again");
    await editAndAwait(
      () => site.replace(PROBE, "rendered <b> badly", "rendered well"),
      async () => (await heading.textContent())?.includes("rendered well"),
    );
  });

  it("reports an edit that crashes the program, and shows the next good one", async () => {
    const fault = "throw new Error('a fault of the program');";
    const text = PROBE_FILES[PROBE_QUERY] ?? "";
    site.write(PROBE_QUERY, `${text}\n${fault}`);
    await site.prints(/a fault of the program.*The program has exited/s);
    await editAndAwait(
      () => site.write(PROBE_QUERY, text),
      async () => (await textOf("h1.probe"))?.includes("queried first"),
    );
    expect(errors).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("leaves nothing behind on Ctrl-C", async () => {
    const kinds = ["postgres", "esbuild", "dev.mjs", "dev-program.mjs"];
    for (const kind of kinds) expect(site.processes().join("\n")).toContain(kind);
    await site.interrupt();
    await expect.poll(() => site.processes()).toEqual([]);
    expect([site.filesIn("build"), site.filesIn("public/build")]).toEqual([null, null]);
  });
});
