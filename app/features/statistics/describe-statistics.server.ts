import plot from "simple-ascii-chart";
import { alignColumns } from "~/features/newsletter/align-columns";
import { formatCount } from "~/features/newsletter/format-count";
import {
  type Bar,
  currenciesOf,
  nameMonth,
  reasonsOf,
  stepsOf,
  writeRevenue,
  writeShare,
} from "./figures";
import type { MonthFigures, Statistics } from "./statistics";

/** Columns and rows of a plot. */
const [WIDTH, HEIGHT] = [64, 8];

/** Length of the funnel's longest bar, in characters. */
const BAR = 30;

/** Formats the statistics as lines for a terminal of 80 columns. */
export function describeStatistics(statistics: Statistics): string[] {
  const { months, cohorts, complimentary, funnel } = statistics;
  return [
    ...describePlot("Members", months, ({ members }) => members.count),
    ...describePlot("Newsletter", months, ({ newsletter }) => newsletter.count),
    ...describePlot("Visitors", months, ({ visitors }) => visitors),
    ...tabulate([
      ["", "members", "new", "back", "left", "churn", "a month"],
      ...months.map(({ month, members, revenue }) => [
        nameMonth(month),
        ...[members.count, members.joined, members.returned, members.left],
        writeShare(members.churn),
        writeRevenue(revenue),
      ]),
    ]),
    ...(complimentary > 0
      ? ["", `Complimentary memberships now, not counted above: ${formatCount(complimentary)}`]
      : []),
    "",
    ...tabulate([
      ["", "newsletter", "joined", "left", "accounts", "new", "visitors"],
      ...months.map(({ month, newsletter, accounts, visitors }) => [
        nameMonth(month),
        ...[newsletter.count, newsletter.joined, newsletter.left],
        ...[accounts.count, accounts.joined, visitors],
      ]),
    ]),
    "",
    "Members who stayed, by the month in which they joined and the months since",
    ...(cohorts.length === 0
      ? ["  No one has joined in the last twelve months."]
      : tabulate([
          ["", "joined", ...(cohorts[0]?.retained ?? []).map((_, after) => String(after))],
          ...cohorts.map(({ month, size, retained }) => [
            nameMonth(month),
            size,
            ...retained.map((share) => (share === null ? "" : String(Math.round(share * 100)))),
          ]),
        ])),
    "",
    `From visit to member, in the last ${funnel.days} days`,
    ...describeBars(stepsOf(statistics)),
    ...(statistics.reasons.length > 0
      ? ["", "Why members canceled", ...describeBars(reasonsOf(statistics))]
      : []),
    ...(currenciesOf(statistics).length > 1
      ? ["", "Revenue in different currencies is not added up."]
      : []),
  ];
}

function describePlot(
  title: string,
  months: readonly MonthFigures[],
  countIn: (figures: MonthFigures) => number,
): string[] {
  const points = months.map((figures, index): [number, number] => [index, countIn(figures)]);
  const text = plot(points, {
    width: WIDTH,
    height: HEIGHT,
    // a plot that does not start at 0 exaggerates small changes
    yRange: [0, Math.max(1, ...points.map(([, count]) => count))],
    formatter: (value, { axis }) =>
      axis === "x" ? (months[value]?.month.slice(5) ?? "") : formatCount(Math.round(value)),
  });
  const lines = text.split("\n").map((line) => line.trimEnd());
  return [title, ...lines.filter((line) => line !== ""), ""];
}

function describeBars(bars: Bar[]): string[] {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return tabulate(
    bars.map(({ name, count }) => [
      name,
      formatCount(count),
      "█".repeat(Math.round((count / most) * BAR)),
    ]),
    { leftAligned: [2] },
  );
}

/** Aligns cells in columns: numbers to the right, the first column and those in `leftAligned` to the left. */
function tabulate(
  rows: (string | number)[][],
  { leftAligned = [] }: { leftAligned?: number[] } = {},
): string[] {
  const all = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? formatCount(cell) : cell)),
  );
  const isLeft = (column: number) => column === 0 || leftAligned.includes(column);
  return alignColumns(all, isLeft).map((line) => `  ${line}`);
}
