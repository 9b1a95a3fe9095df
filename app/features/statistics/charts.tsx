import { scaleBand, scaleLinear, scalePoint } from "d3-scale";
import { line } from "d3-shape";
import type { CSSProperties } from "react";
import { formatCount } from "~/features/newsletter/format-count";

/** Sizes of a chart, in user units, with at most so many labels below it. */
const SIZES = {
  large: { width: 640, height: 240, left: 84, right: 16, ticks: 4, labels: 7 },
  small: { width: 320, height: 140, left: 80, right: 28, ticks: 2, labels: 3 },
};
const MARGIN = { top: 16, bottom: 28 };

/** One line or one set of bars. */
export type Series = { name: string; values: number[] };

export type ChartProps = {
  /** Id of the chart within the page. */
  id: string;
  title: string;
  /** What is counted, and when. */
  description: string;
  /** One label for each value. */
  labels: string[];
  series: Series[];
  kind: "line" | "bars";
  /** Formats a value for the axis and the table; by default as a number of persons. */
  write?: (value: number) => string;
  size?: keyof typeof SIZES;
};

/**
 * A chart as a labeled image, with its figures in a table below for readers who cannot see it or distinguish its
 * colors.
 */
export function Chart({
  id,
  title,
  description,
  labels,
  series,
  kind,
  write = formatCount,
  size = "large",
}: ChartProps) {
  const { width, height } = SIZES[size];
  return (
    <section>
      <h2 id={id}>{title}</h2>
      <p>{description}</p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-labelledby={id}
        aria-describedby={`${id}-figures`}
      >
        <title>{title}</title>
        <Drawing labels={labels} series={series} kind={kind} write={write} size={size} />
      </svg>
      {series.length > 1 && (
        <ul className="legend">
          {series.map(({ name }, index) => (
            <li key={name} className={`series-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details id={`${id}-figures`}>
        <summary>Figures</summary>
        <Table
          title={title}
          columns={["Month", ...series.map(({ name }) => name)]}
          rows={labels.map((name, index) => ({
            name,
            cells: series.map(({ values }) => ({ text: write(values[index] ?? 0) })),
          }))}
        />
      </details>
    </section>
  );
}

function Drawing({
  labels,
  series,
  kind,
  write,
  size,
}: Required<Pick<ChartProps, "labels" | "series" | "kind" | "write" | "size">>) {
  const { width, height, left, right, ...most } = SIZES[size];
  const values = series.flatMap((one) => one.values);
  const y = scaleLinear()
    .domain([Math.min(0, ...values), Math.max(...values) || 1])
    .nice(most.ticks)
    .range([height - MARGIN.bottom, MARGIN.top]);
  const ends: [number, number] = [left, width - right];
  const bands = scaleBand().domain(labels).range(ends).padding(0.25);
  const points = scalePoint().domain(labels).range(ends).padding(0.5);
  // no ticks at fractions of a person
  const isWhole = values.every(Number.isInteger);
  const ticks = y.ticks(most.ticks).filter((tick) => !isWhole || Number.isInteger(tick));
  // omit labels that would overlap
  const step = Math.ceil(labels.length / most.labels);
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={ends[0]} x2={ends[1]} y1={y(tick)} y2={y(tick)} />
          <text x={ends[0] - 8} y={y(tick) + 4} textAnchor="end">
            {write(tick)}
          </text>
        </g>
      ))}
      {labels.map((label, index) =>
        (labels.length - 1 - index) % step === 0 ? (
          <text key={label} x={points(label)} y={height - 8} textAnchor="middle">
            {label}
          </text>
        ) : null,
      )}
      {series.map(({ name, values }, number) =>
        kind === "line" ? (
          <path
            key={name}
            className={`line series-${number}`}
            d={
              line<number>()
                .x((_, index) => points(labels[index] ?? "") ?? 0)
                .y((value) => y(value))(values) ?? ""
            }
          />
        ) : (
          <g key={name} className={`series-${number}`}>
            {values.map((value, index) => {
              const barWidth = bands.bandwidth() / series.length;
              const label = labels[index] ?? "";
              return (
                <rect
                  key={label}
                  x={(bands(label) ?? 0) + number * barWidth}
                  width={barWidth * 0.92}
                  y={Math.min(y(value), y(0))}
                  height={Math.abs(y(value) - y(0))}
                />
              );
            })}
          </g>
        ),
      )}
    </>
  );
}

type TableProps = {
  title: string;
  /** The columns' heads, of which the first heads the rows' names. */
  columns: string[];
  rows: { name: string; cells: { text: string; style?: CSSProperties }[] }[];
};

/** A table that may be wider than a phone. The keyboard can scroll it too. */
export function Table({ title, columns, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise no key scrolls it
    <section className="scroller" aria-label={title} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map(({ text, style }, index) => (
                <td key={columns[index + 1]} style={style}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
