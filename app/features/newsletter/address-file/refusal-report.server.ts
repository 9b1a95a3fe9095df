import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import { OperatorError } from "~db/operator-error";
import { printableText } from "./printable-text";
import type { RefusedRecord } from "./read-address-file.server";
import { escapeCell } from "./spreadsheet-cell";

/** Maximum length of a value in the report, in characters. */
const MAX_VALUE_LENGTH = 200;

/** Returns the report's path: 'list.refused.csv' beside 'list.csv'. */
function refusalReportPath(file: string): string {
  return `${file.replace(/\.[^./\\]*$/, "")}.refused.csv`;
}

/** Refused records as CSV for spreadsheet programs: line, value and reason; with a header for the first ones of a file. */
export function refusalsCsv(refused: RefusedRecord[], { isFirst }: { isFirst: boolean }): string {
  const rows = refused.map(({ line, value, reason }) => [
    String(line),
    escapeCell(printableText(value).slice(0, MAX_VALUE_LENGTH)),
    reason,
  ]);
  return stringify(isFirst ? [["line", "value", "reason"], ...rows] : rows, {
    bom: isFirst,
    quoted_string: true,
  });
}

/**
 * The CSV file of refused records: line, value and reason. Created with the first record, readable only by its owner,
 * and replaces an earlier run's. Throws an OperatorError if it cannot be written.
 */
export class RefusalReport {
  /** For standard input, a file in a new folder for temporary files. */
  path: string;
  readonly #file: string;
  #handle: FileHandle | null = null;

  private constructor(file: string) {
    this.#file = file;
    this.path = refusalReportPath(file);
  }

  /** Starts a report and removes that of an earlier run. */
  static async start(file: string): Promise<RefusalReport> {
    const report = new RefusalReport(file);
    if (file !== "-") await report.#attempt(() => rm(report.path, { force: true }));
    return report;
  }

  async write(refused: RefusedRecord[]): Promise<void> {
    if (refused.length === 0) return;
    await this.#attempt(async () => {
      const isFirst = this.#handle === null;
      if (isFirst && this.#file === "-") {
        const folder = await mkdtemp(join(tmpdir(), "golden-path-"));
        this.path = join(folder, "standard-input.refused.csv");
      }
      this.#handle ??= await open(this.path, "wx", 0o600);
      await this.#handle.write(refusalsCsv(refused, { isFirst }));
    });
  }

  async close(): Promise<void> {
    await this.#attempt(async () => this.#handle?.close());
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw new OperatorError(
        `The report of refused lines cannot be written to ${this.path}: ${(error as Error).message}`,
      );
    }
  }
}
