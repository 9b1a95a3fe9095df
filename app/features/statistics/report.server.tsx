import { renderToStaticMarkup } from "react-dom/server";
import { writeAmount } from "~/features/membership/price-amount";
import { formatCount } from "~/features/newsletter/format-count";
import { currentSite } from "~/features/site/current-site.server";
import { COLORS, NIGHT_COLORS } from "~/styles/colors.mjs";
import { Chart, Scroller } from "./charts";
import {
  type Bar,
  currenciesOf,
  nameMonth,
  reasonsOf,
  stepsOf,
  writeRevenue,
  writeShare,
} from "./figures";
import type { Statistics } from "./statistics";

/** Renders the statistics as a self-contained HTML page, without scripts, pictures or fonts. */
export function renderReport(statistics: Statistics): string {
  return `<!doctype html>\n${renderToStaticMarkup(<Report statistics={statistics} />)}\n`;
}

function Report({ statistics }: { statistics: Statistics }) {
  const { at, months, cohorts } = statistics;
  const labels = months.map(({ month }) => nameMonth(month));
  const now = months.at(-1);
  const title = `${currentSite().title}: statistics`;
  const day = new Date(at).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own constant */}
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>
            As of {day}. Months are calendar months in UTC; the last one is not over. What each
            figure means is in docs/members.md.
          </p>
          {now && (
            <dl>
              <Tile name="Members" value={formatCount(now.members.count)} />
              <Tile name="Revenue a month" value={writeRevenue(now.revenue)} />
              <Tile name="Newsletter" value={formatCount(now.newsletter.count)} />
              <Tile name="Accounts" value={formatCount(now.accounts.count)} />
            </dl>
          )}
          <Chart
            id="members"
            title="Members"
            description="Paying members at the end of each month."
            kind="line"
            labels={labels}
            series={[{ name: "Members", values: months.map(({ members }) => members.count) }]}
          />
          <Chart
            id="changes"
            title="Members gained and lost"
            description="New members, former ones who came back, and those who left."
            kind="bars"
            labels={labels}
            series={[
              { name: "New", values: months.map(({ members }) => members.joined) },
              { name: "Came back", values: months.map(({ members }) => members.returned) },
              { name: "Left", values: months.map(({ members }) => members.left) },
            ]}
          />
          {currenciesOf(statistics).map((currency) => (
            <Chart
              key={currency}
              id={`revenue-${currency}`}
              title={`Monthly recurring revenue in ${currency.toUpperCase()}`}
              description="What all members together pay a month, at the end of each month, without discounts and taxes."
              kind="line"
              labels={labels}
              series={[
                {
                  name: currency.toUpperCase(),
                  values: months.map(({ revenue }) => revenue[currency] ?? 0),
                },
              ]}
              write={(amount) => writeAmount(Math.round(amount), currency)}
            />
          ))}
          <Chart
            id="churn"
            title="Churn"
            description="Of those who were members when a month began, how many left in it."
            kind="bars"
            labels={labels}
            series={[{ name: "Churn", values: months.map(({ members }) => members.churn ?? 0) }]}
            write={writeShare}
          />
          <Cohorts cohorts={cohorts} />
          <Chart
            id="newsletter"
            title="Newsletter"
            description="Confirmed addresses at the end of each month."
            kind="line"
            labels={labels}
            series={[
              { name: "Addresses", values: months.map(({ newsletter }) => newsletter.count) },
            ]}
          />
          <Chart
            id="newsletter-changes"
            title="Newsletter: joined and left"
            description="Addresses that were confirmed, and those that left the list."
            kind="bars"
            labels={labels}
            series={[
              { name: "Joined", values: months.map(({ newsletter }) => newsletter.joined) },
              { name: "Left", values: months.map(({ newsletter }) => newsletter.left) },
            ]}
          />
          <Chart
            id="visitors"
            title="Visitors"
            description="Each day's visitors, added up: someone who comes on two days counts twice."
            kind="bars"
            labels={labels}
            series={[{ name: "Visitors", values: months.map(({ visitors }) => visitors) }]}
          />
          <Bars
            title="From visit to member"
            description={`In the last ${statistics.funnel.days} days; visitors count once a day.`}
            bars={stepsOf(statistics)}
          />
          {statistics.reasons.length > 0 && (
            <Bars
              title="Why members canceled"
              description="As they told Stripe, if they did."
              bars={reasonsOf(statistics)}
            />
          )}
        </main>
      </body>
    </html>
  );
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
  const after = cohorts[0]?.retained.map((_, index) => index) ?? [];
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
        <Scroller name="Months since they joined">
          <table>
            <caption>Months since they joined</caption>
            <thead>
              <tr>
                <th scope="col">Joined in</th>
                <th scope="col">New</th>
                {after.map((months) => (
                  <th key={months} scope="col">
                    {months}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {cohorts.map(({ month, size, retained }) => (
                <tr key={month}>
                  <th scope="row">{nameMonth(month)}</th>
                  <td>{formatCount(size)}</td>
                  {retained.map((share, months) => (
                    <td
                      // biome-ignore lint/suspicious/noArrayIndexKey: its number is its identity
                      key={months}
                      style={
                        share === null
                          ? undefined
                          : {
                              background: `color-mix(in srgb, var(--bar) ${Math.round(share * 45)}%, transparent)`,
                            }
                      }
                    >
                      {share === null ? "" : `${Math.round(share * 100)} %`}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  );
}

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

const STYLE = `
:root { color-scheme: light dark; --paper: ${COLORS.paper}; --ink: ${COLORS.ink}; --soft: ${COLORS["ink-soft"]}; --line: ${COLORS.line}; --bar: ${COLORS.gold}; --second: ${COLORS.success}; --third: ${COLORS.destructive} }
@media (prefers-color-scheme: dark) { :root { --paper: ${NIGHT_COLORS.paper}; --ink: ${NIGHT_COLORS.ink}; --soft: ${NIGHT_COLORS["ink-soft"]}; --line: ${NIGHT_COLORS.line}; --second: ${NIGHT_COLORS.success}; --third: ${NIGHT_COLORS.destructive} } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 45rem; margin: auto; padding: 2rem 1rem 4rem }
h1, h2 { font-family: Georgia, serif; font-weight: 600; line-height: 1.2; text-wrap: balance }
h2 { margin: 3rem 0 0; font-size: 1.35rem }
figure { margin: 0 }
figcaption, section > p { margin: .25rem 0 1rem; color: var(--soft) }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 2rem 0 }
dl > div { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem }
dt { color: var(--soft); font-size: .875rem }
dd { margin: 0; font-size: 1.25rem; white-space: nowrap; font-variant-numeric: tabular-nums }
svg { display: block; width: 100%; height: auto }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums }
@media (max-width: 40rem) { svg text { font-size: 20px } }
.grid { stroke: var(--line) }
.line { fill: none; stroke: var(--bar); stroke-width: 3; stroke-linejoin: round }
rect { fill: var(--bar) }
.series-1 rect { fill: var(--second) } .series-2 rect { fill: var(--third) }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0; padding: 0; list-style: none; font-size: .875rem }
.legend li::before { content: ""; display: inline-block; width: .75rem; height: .75rem; margin-right: .4rem; background: var(--bar) }
.legend .series-1::before { background: var(--second) } .legend .series-2::before { background: var(--third) }
summary { width: fit-content; padding: .5rem 0; color: var(--soft); cursor: pointer }
.scroller { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
.funnel { width: 100% } .funnel td:last-child { width: 50% } .funnel span { display: block; height: .9rem; background: var(--bar) }
caption { text-align: left; color: var(--soft) }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; font-weight: 400 }
th[scope=row], thead th:first-child { text-align: left } thead th { color: var(--soft) }
@media print { details::details-content { content-visibility: visible } }
`;
