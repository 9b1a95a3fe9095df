import { renderToStaticMarkup } from "react-dom/server";
import { currentSite } from "~/features/site/current-site.server";
import { COLORS, NIGHT_COLORS } from "~/styles/colors.mjs";
import type { Statistics } from "./statistics";
import { StatisticsView } from "./statistics-view";

/** Renders the statistics as a self-contained HTML page, without scripts, pictures or fonts. */
export function renderReport(statistics: Statistics): string {
  return `<!doctype html>\n${renderToStaticMarkup(<Report statistics={statistics} />)}\n`;
}

function Report({ statistics }: { statistics: Statistics }) {
  const { at } = statistics;
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
          <StatisticsView statistics={statistics} />
        </main>
      </body>
    </html>
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
section > p { margin: .25rem 0 1rem; color: var(--soft) }
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
