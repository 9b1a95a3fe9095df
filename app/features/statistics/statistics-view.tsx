import { writeAmount } from "~/features/membership/price-amount";
import { formatCount } from "~/features/newsletter/format-count";
import { Chart, type ChartProps, Table } from "./charts";
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

type StatisticsViewProps = {
  statistics: Statistics;
  /** Whether to show the numbers, and only the charts of these, as small plots. */
  isShort?: boolean;
};

/** The statistics as figures, charts and tables, for the report's page and the desk. */
export function StatisticsView({ statistics, isShort = false }: StatisticsViewProps) {
  const { months, cohorts, funnel, reasons } = statistics;
  const now = months.at(-1);
  const charts = chartsOf(statistics).filter(({ isMain }) => isMain || !isShort);
  return (
    <>
      {now && (
        <dl>
          <Tile name="Members" value={formatCount(now.members.count)} />
          <Tile name="Revenue a month" value={writeRevenue(now.revenue)} />
          <Tile name="Newsletter" value={formatCount(now.newsletter.count)} />
          <Tile name="Accounts" value={formatCount(now.accounts.count)} />
        </dl>
      )}
      {charts.map(({ isMain: _, ...chart }) => (
        <Chart key={chart.id} {...chart} size={isShort ? "small" : "large"} />
      ))}
      {!isShort && (
        <>
          <Cohorts cohorts={cohorts} />
          <Bars
            title="From visit to member"
            description={`In the last ${funnel.days} days; visitors count once a day.`}
            bars={stepsOf(statistics)}
          />
        </>
      )}
      {!isShort && reasons.length > 0 && (
        <Bars
          title="Why members canceled"
          description="As they told Stripe, if they did."
          bars={reasonsOf(statistics)}
        />
      )}
    </>
  );
}

/** The charts in their order; the main ones are of members, revenue and the newsletter. */
function chartsOf(statistics: Statistics): (ChartProps & { isMain?: true })[] {
  const { months } = statistics;
  const labels = months.map(({ month }) => nameMonth(month));
  const seriesOf = (name: string, valueIn: (figures: MonthFigures) => number) => ({
    name,
    values: months.map(valueIn),
  });
  const line = (id: string, title: string) =>
    ({ id, title, labels, kind: "line", isMain: true }) as const;
  const bars = (id: string, title: string) => ({ id, title, labels, kind: "bars" }) as const;
  const revenue = currenciesOf(statistics).map((currency) => ({
    ...line(`revenue-${currency}`, `Monthly recurring revenue in ${currency.toUpperCase()}`),
    description:
      "What all members together pay a month, at the end of each month, without discounts and taxes.",
    series: [seriesOf(currency.toUpperCase(), (month) => month.revenue[currency] ?? 0)],
    write: (amount: number) => writeAmount(Math.round(amount), currency),
  }));
  return [
    {
      ...line("members", "Members"),
      description: "Paying members at the end of each month.",
      series: [seriesOf("Members", ({ members }) => members.count)],
    },
    {
      ...bars("changes", "Members gained and lost"),
      description: "New members, former ones who came back, and those who left.",
      series: [
        seriesOf("New", ({ members }) => members.joined),
        seriesOf("Came back", ({ members }) => members.returned),
        seriesOf("Left", ({ members }) => members.left),
      ],
    },
    ...revenue,
    {
      ...bars("churn", "Churn"),
      description: "Of those who were members when a month began, how many left in it.",
      series: [seriesOf("Churn", ({ members }) => members.churn ?? 0)],
      write: writeShare,
    },
    {
      ...line("newsletter", "Newsletter"),
      description: "Confirmed addresses at the end of each month.",
      series: [seriesOf("Addresses", ({ newsletter }) => newsletter.count)],
    },
    {
      ...bars("newsletter-changes", "Newsletter: joined and left"),
      description: "Addresses that were confirmed, and those that left the list.",
      series: [
        seriesOf("Joined", ({ newsletter }) => newsletter.joined),
        seriesOf("Left", ({ newsletter }) => newsletter.left),
      ],
    },
    {
      ...bars("visitors", "Visitors"),
      description: "Each day's visitors, added up: someone who comes on two days counts twice.",
      series: [seriesOf("Visitors", ({ visitors }) => visitors)],
    },
  ];
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** A table of how many of each month's new members stayed. Darker cells mean more. */
function Cohorts({ cohorts }: Pick<Statistics, "cohorts">) {
  const months = cohorts[0]?.retained.map((_, index) => index) ?? [];
  return (
    <section>
      <h2>Members who stayed</h2>
      <p>
        By the month in which they joined: the share who were members so many months later. Empty
        until all of them have joined so long ago.
      </p>
      {cohorts.length === 0 ? (
        <p>No one has joined in the last twelve months.</p>
      ) : (
        <Table
          title="Months since they joined"
          columns={["Joined in", "New", ...months.map(String)]}
          rows={cohorts.map(({ month, size, retained }) => ({
            name: nameMonth(month),
            cells: [{ text: formatCount(size) }, ...retained.map(shareCell)],
          }))}
        />
      )}
    </section>
  );
}

const shareCell = (share: number | null) =>
  share === null
    ? { text: "" }
    : {
        text: `${Math.round(share * 100)} %`,
        style: {
          background: `color-mix(in srgb, var(--bar) ${Math.round(share * 45)}%, transparent)`,
        },
      };

/** A table of numbers, with a bar in each row. */
function Bars(props: { title: string; description: string; bars: Bar[] }) {
  const { title, description, bars } = props;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <section>
      <h2>{title}</h2>
      <p>{description}</p>
      <table className="funnel">
        <caption>How many</caption>
        <tbody>
          {bars.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{formatCount(count)}</td>
              <td aria-hidden="true">
                <span style={{ width: `${(100 * count) / most}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
