import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OperatorError } from "~db/operator-error";
import { RefusalReport } from "./refusal-report.server";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "golden-path.report-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (name = "list.csv") => RefusalReport.start(join(folder, name));
const refusedOn = (line: number, value = "nobody") => ({
  line,
  value,
  reason: "not an email address",
});

describe("the report of refused records", () => {
  it("repeats 200 characters of a value, without terminal or spreadsheet commands", async () => {
    const report = await start();
    await report.write([
      refusedOn(1, "=1+1"),
      refusedOn(2, "a\u001b[2J\nb"),
      refusedOn(3, "x".repeat(201)),
      refusedOn(4, `=${"x".repeat(200)}`),
    ]);
    await report.close();
    const rows = readFileSync(report.path, "utf8").trimEnd().split("\n").slice(1);
    expect(rows.map((row) => row.split('","')[1])).toEqual([
      "'=1+1",
      "a\ufffd[2J\ufffdb",
      "x".repeat(200),
      `'=${"x".repeat(199)}`,
    ]);
  });

  it("replaces an earlier one, and does not exist if nothing is refused", async () => {
    const path = join(folder, "list.refused.csv");
    writeFileSync(path, "earlier");
    const report = await start();
    expect(existsSync(path)).toBe(false);
    await report.write([]);
    await report.close();
    expect(existsSync(path)).toBe(false);
  });

  it("says why it cannot be written", async () => {
    const path = join(folder, "list.refused.csv");
    mkdirSync(path);
    const attempt = (why: string) =>
      new RegExp(`^The report of refused lines cannot be written to ${path}: .*${why}`);
    const refused = await start().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OperatorError);
    expect((refused as Error).message).toMatch(attempt("directory"));
    rmSync(path, { recursive: true });

    // must not write to a file that another program has created in the meantime
    const report = await start();
    writeFileSync(path, "another's");
    await expect(report.write([refusedOn(1)])).rejects.toThrow(attempt("EEXIST"));
    expect(readFileSync(path, "utf8")).toBe("another's");
    await report.close();
  });
});
