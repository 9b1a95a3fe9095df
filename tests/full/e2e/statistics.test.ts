import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { visitorHashes } from "~db/schema";
import { axeViolations } from "../../support/axe-violations";
import { childEnvironment } from "../../support/child-environment.mjs";
import { siteForThisFile } from "../../support/e2e-site";
import { send } from "../../support/http-client";
import { runProgram, startProgram, temporaryDirectory } from "../../support/program";

const PROJECT = resolve(import.meta.dirname, "../../..");

const site = siteForThisFile();

/** Returns a shell's standard output and standard error. */
async function runInShell(line: string): Promise<{ output: string }> {
  const env = childEnvironment(site.variables);
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", line], { cwd: PROJECT, env });
  return { output: stdout + stderr };
}

const stats = (...command: string[]) =>
  runProgram({ command: ["stats", ...command], variables: site.variables });

describe("visits", () => {
  const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const get = (path: string, headers: Record<string, string> = {}) =>
    send(`${site.origin}${path}`, { headers: { "User-Agent": BROWSER, ...headers } });

  /** Returns the number of visitors of each page. */
  async function counted(): Promise<Record<string, number>> {
    const rows = await site.database.db.execute<{ page: string; count: string }>(
      sql`select page, count(*) as count from ${visitorHashes} group by page order by page`,
    );
    return Object.fromEntries(rows.map(({ page, count }) => [page, Number(count)]));
  }

  it("are pages shown, cached or not, once per browser, with nothing that identifies it", async () => {
    const { headers } = await get("/");
    await get("/", { "If-None-Match": String(headers.etag) });
    await get("/auth", { "User-Agent": `${BROWSER} other` });
    await get("/premium");
    for (const path of ["/favicon.ico", "/nowhere", "/robots.txt", "/readyz", "/preview/none"]) {
      await get(path);
    }
    await get("/newsletter/archive", { "Sec-Purpose": "prefetch" });
    await get("/newsletter/archive", { "User-Agent": "curl/8.5.0" });

    await expect.poll(counted).toMatchObject({ "/": 1, "/auth": 1 });
    expect(await counted()).toEqual({ "/": 1, "/auth": 1 });
    const { funnel } = JSON.parse((await stats("--json")).stdout);
    expect(funnel).toMatchObject({ visitors: 2, authVisitors: 1 });
    const salted = await site.database.db.execute(
      sql`select octet_length(hash) as bytes from visitor_hashes`,
    );
    expect(new Set(salted.map(({ bytes }) => bytes))).toEqual(new Set([12]));
  });

  it("are counted when scripts load the next page, and when the upgrade button is pressed", async () => {
    await site.database.db.execute(sql`truncate visitor_hashes`);
    // the name of Playwright's browser says that it is headless
    const page = await site.visit({ userAgent: BROWSER });
    await site.open("/", page);
    await page.getByRole("banner").getByRole("link", { name: "Log In" }).first().click();
    await page.waitForURL("**/auth**");
    await site.subscribe(page.context());
    await expect.poll(counted).toMatchObject({ "/": 1, "/auth": 1, upgrade: 1 });
  });

  it("of the last seconds are stored when the program stops", async () => {
    const folder = temporaryDirectory();
    const program = await startProgram({
      variables: { DATABASE_URL: site.variables.DATABASE_URL ?? "", DATA_DIR: folder.path },
    });
    await send(`${program.origin}/newsletter/archive`, { headers: { "User-Agent": BROWSER } });
    await program.stop();
    folder.remove();
    expect(await counted()).toHaveProperty("/newsletter", 1);
  });
});

describe("stats", () => {
  let folder: ReturnType<typeof temporaryDirectory>;
  beforeAll(() => {
    folder = temporaryDirectory();
  });
  afterAll(() => folder.remove());

  it("prints plots and tables", async () => {
    const { code, stdout } = await stats("--months", "3");
    expect(code).toBe(0);
    for (const word of ["Members", "Newsletter", "churn", "a month", "became a member"]) {
      expect(stdout).toContain(word);
    }
  });

  it("ends quietly when its reader closes, as head does", async () => {
    const { output } = await runInShell(`${process.execPath} build/index.js stats | head -1`);
    expect(output).toBe("Members\n");
  });

  it("writes an accessible page that loads nothing", async () => {
    const file = join(folder.path, "report.html");
    expect((await stats("report", file)).code).toBe(0);
    const page = await site.visit({ viewport: { width: 360, height: 740 } });
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.goto(`file://${file}`);
    expect(requested).toEqual([`file://${file}`]);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.locator("svg").count()).toBeGreaterThanOrEqual(7);
    for (const figures of await page.locator("section:has(> svg)").all()) {
      await figures.locator("summary").click();
      expect(await figures.locator("tbody tr").count()).toBe(13);
    }
    const sideways = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    expect(await sideways()).toBe(0);

    const again = await stats("report", file);
    expect(again).toMatchObject({
      code: 1,
      stderr: `${file} already exists; nothing was written.\n`,
    });
    expect(readFileSync(file, "utf8")).toContain("Members who stayed");
  });
});
