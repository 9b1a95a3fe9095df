import { writeFile } from "node:fs/promises";
import { describeStatistics } from "~/features/statistics/describe-statistics.server";
import { readStatistics } from "~/features/statistics/read-statistics.server";
import { renderReport } from "~/features/statistics/report.server";
import { OperatorError } from "~db/operator-error";
import { note, whileRead, writeOut } from "./output.server";
import { withDatabase } from "./with-database.server";

type StatsOptions = { months: string; json?: boolean };

/** The most months that fit a page, ten years. */
const MAX_MONTHS = 120;

/** `stats`: prints members, revenue, newsletter and visitors by month, as plots and tables or as JSON. */
export async function show(options: StatsOptions): Promise<void> {
  const months = readMonths(options.months);
  await withDatabase(async () => {
    const statistics = await readStatistics(months);
    const text = options.json
      ? JSON.stringify(statistics, null, 2)
      : describeStatistics(statistics).join("\n");
    await whileRead(() => writeOut(`${text}\n`));
  });
}

/** `stats report`: writes the same as a page with charts into a file that must not exist yet. */
export async function report(file: string, options: Pick<StatsOptions, "months">): Promise<void> {
  const months = readMonths(options.months);
  await withDatabase(async () => {
    const page = renderReport(await readStatistics(months));
    try {
      await writeFile(file, page, { flag: "wx" });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST")
        throw new OperatorError(`${file} already exists; nothing was written.`);
      throw new OperatorError(`${file} couldn't be written (${code}).`);
    }
    note(`Open ${file} in a browser.`);
  });
}

function readMonths(text: string): number {
  const months = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (months >= 1 && months <= MAX_MONTHS) return months;
  throw new OperatorError(`--months: found '${text}', wanted a number from 1 to ${MAX_MONTHS}.`);
}
