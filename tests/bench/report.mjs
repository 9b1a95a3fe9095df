import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { project } from "./processes.mjs";

const BEGIN = "<!-- measured -->";
const END = "<!-- /measured -->";

const NAMES = {
  "landing-identity": "landing page, anonymous, identity",
  "landing-brotli": "landing page, anonymous, brotli",
  "landing-304": "landing page, anonymous, 304",
  "landing-signed-in": "landing page, signed in",
  "auth-brotli": "`/auth`, anonymous, brotli",
  "asset-brotli": "a built script, brotli",
  "log-in": "log in",
  newsletter: "newsletter post",
  webhook: "webhook post",
};

/**
 * Writes the table and the plot into docs/performance.md, in place of the last run's.
 *
 * @param {any} run
 */
export async function writeReport(run) {
  const file = join(project, "docs/performance.md");
  const text = readFileSync(file, "utf8");
  const [head = ""] = text.split(BEGIN);
  const tail = text.split(END)[1] ?? "\n";
  writeFileSync(file, `${head}${BEGIN}\n\n${tables(run)}\n${END}${tail}`);
  writeFileSync(join(project, "docs/performance.svg"), plot(run));
  console.log(`Written to docs/performance.md. Peak memory ${run.peakMemory.toFixed(0)} MB.`);
}

/** @param {any} run */
function tables({ rounds, seconds, compared, grown, flood, peakMemory }) {
  const machine = `${cpus().length} cores, Node ${process.versions.node}`;
  const rows = compared.map((/** @type {any} */ one) =>
    row([
      nameOf(one.name),
      whole(one.site.rate),
      one.bare ? `${ratio(one.site.rate, one.bare.rate)} of bare Node` : "",
      one.plain ? `${ratio(one.site.rate, one.plain.rate)} of remix-serve` : "",
      `${one.site.p50} / ${one.site.p99}`,
      one.site.cpu === null ? "" : one.site.cpu.toFixed(2),
      String(one.site.wrong),
    ]),
  );
  const sizes = grown[0]?.bySize.map((/** @type {any} */ { size }) => size) ?? [];
  const growth = grown.map((/** @type {any} */ { name, bySize }) =>
    row([
      nameOf(name),
      ...bySize.map(
        (/** @type {any} */ sample) =>
          `${whole(sample.rate)} (${ratio(bySize[0].rate, sample.rate)}×)`,
      ),
    ]),
  );
  return `Median of ${rounds} interleaved rounds of ${seconds} s; ${machine}; load generator, server and
PostgreSQL share the machine. Latencies in milliseconds; CPU in seconds of the Node process per 1,000
requests; "off" counts answers of an unexpected status.

${row(["request", "requests/s", "beside bare Node", "beside remix-serve", "p50 / p99", "CPU", "off"])}
${row(["---", "--:", "--:", "--:", "--:", "--:", "--:"])}
${rows.join("\n")}

![Requests per second beside a bare Node server](performance.svg)

Requests/s by the number of users and of subscribers, and in brackets how many times slower than the first:

${row(["request", ...sizes.map((/** @type {number} */ size) => size.toLocaleString("en"))])}
${row(["---", ...sizes.map(() => "--:")])}
${growth.join("\n")}

While log-ins fill the password queue, the landing page's p99 is ${flood.flooded.p99} ms; alone it is
${flood.idle.p99} ms. The Node process held ${peakMemory.toFixed(0)} MB at most in all of this.
`;
}

/** @param {any} run */
function plot({ compared }) {
  const bars = compared.filter((/** @type {any} */ { bare }) => bare);
  const [width, line, left] = [720, 36, 250];
  const scale =
    (width - left - 70) /
    Math.max(1, ...bars.map((/** @type {any} */ one) => one.site.rate / one.bare.rate));
  const drawn = bars.map((/** @type {any} */ one, /** @type {number} */ index) => {
    const part = one.site.rate / one.bare.rate;
    const y = 40 + index * line;
    return `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${nameOf(one.name).replaceAll("`", "")}</text>
<rect x="${left}" y="${y}" width="${(part * scale).toFixed(1)}" height="20" fill="#e9b44c"/>
<text x="${(left + part * scale + 6).toFixed(1)}" y="${y + 15}">${part.toFixed(2)}</text>`;
  });
  const height = 50 + bars.length * line;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#211d18">
<rect width="${width}" height="${height}" fill="#fdf9f1"/>
<text x="16" y="24" font-weight="bold">Requests per second, as a part of a bare Node server's with the same bytes</text>
<line x1="${(left + scale).toFixed(1)}" x2="${(left + scale).toFixed(1)}" y1="34" y2="${height - 8}" stroke="#8a5a0b" stroke-dasharray="3 3"/>
${drawn.join("\n")}
</svg>
`;
}

/** @param {string} name */
const nameOf = (name) => NAMES[/** @type {keyof typeof NAMES} */ (name)] ?? name;
/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`;
/** @param {number} value */
const whole = (value) => Math.round(value).toLocaleString("en");
/** @param {number} a @param {number} b */
const ratio = (a, b) => (a / b).toFixed(2);
