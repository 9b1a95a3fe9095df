import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, NO_OTHER_HOSTS } from "../../support/browsers/chromium.mjs";
import { DevelopmentSite } from "../../support/development-site";
import { hydrated } from "../../support/hydrated.mjs";
import { watchForErrors } from "../../support/pages";
import { policyOf } from "../../support/security-headers";

/** A page with one text each from its component, its loader and the database. */
const PROBE = join("app", "routes/probe/route.tsx");
const PROBE_QUERY = join("db", "queries/probe.ts");
const PROBE_FEATURE = join("app", "features/probe.server.ts");
const PROBE_FILES = {
  [PROBE]: `
    import { useLoaderData } from "@remix-run/react";
    import { queryProbe } from "~/features/probe.server";
    export const loader = async () => ({ loaded: "loaded first", queried: await queryProbe() });
    export default function Probe() {
      const { loaded, queried } = useLoaderData<typeof loader>();
      return <h1 className="probe">rendered first, {loaded}, {queried}</h1>;
    }`,
  [PROBE_FEATURE]: `export { queryProbe } from "~db/queries/probe";`,
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

const textOf = (selector: string) => page.locator(selector).textContent();
const styleOf = (selector: string, name: "color" | "letterSpacing") =>
  page.locator(selector).evaluate((element, name) => getComputedStyle(element)[name], name);

/** Waits until the page shows it. A reload may interrupt a look at the page. */
const shown = (look: () => Promise<string | null>, wanted: string) =>
  expect.poll(() => look().catch(() => null)).toBe(wanted);

describe("npm run dev", () => {
  it("serves the page with its policy, plus only the live-reload connection", async () => {
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

  it("shows edits of the frame, a component, a loader and the style sheet, also on a cached page", async () => {
    await page.goto("/probe");
    expect(await textOf("h1.probe")).toBe("rendered first, loaded first, queried first");
    site.replace("app/root.tsx", "Skip to content", "Skip the edited header");
    const edited = "body { letter-spacing: 3px; }\n@theme static {";
    site.replace("app/styles/app.css", "@theme static {", edited);
    site.replace(PROBE, "loaded first", "loaded again");
    site.replace(PROBE, "rendered first", "rendered again");
    await shown(() => textOf("h1.probe"), "rendered again, loaded again, queried first");
    await shown(() => styleOf("body", "letterSpacing"), "3px");
    await page.goto("/");
    expect(await textOf(".skip-link")).toBe("Skip the edited header");
    // previous builds' files are removed
    const roots = site.filesIn("public/build")?.filter((file) => /^root-\w+\.js$/.test(file));
    expect(roots).toHaveLength(1);
  });

  it("reports a compile error, keeps the page, and shows the next good edit, also of a color", async () => {
    site.replace(PROBE, "rendered again", "rendered <b> badly");
    await site.prints(/ERROR.*probe\/route\.tsx/s);
    await page.goto("/probe");
    expect(await textOf("h1.probe")).toContain("rendered again");
    site.replace("app/styles/colors.mjs", 'ink: "#211d18"', 'ink: "#123456"');
    site.replace(PROBE, "rendered <b> badly", "rendered well");
    await shown(() => textOf("h1.probe"), "rendered well, loaded again, queried first");
    await shown(() => styleOf("body", "color"), "rgb(18, 52, 86)");
  });

  it("reports an edit that crashes the program, and shows the next good one, also of a query or a new utility class", async () => {
    const fault = "throw new Error('a fault of the program');";
    const text = PROBE_FILES[PROBE_QUERY] ?? "";
    site.write(PROBE_QUERY, `${text}\n${fault}`);
    await site.prints(/a fault of the program.*The program has exited/s);
    site.write(PROBE_QUERY, text.replace("queried first", "queried again"));
    site.replace(PROBE, '"probe"', '"probe tracking-[0.375em] text-[40px]"');
    await shown(() => textOf("h1.probe"), "rendered well, loaded again, queried again");
    await shown(() => styleOf("h1", "letterSpacing"), "15px");
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
