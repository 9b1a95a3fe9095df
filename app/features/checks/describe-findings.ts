import { formatCount } from "~/features/newsletter/format-count";
import type { Finding, Level } from "./answer";

const MARKS: Record<Level, string> = { ok: "✓", warning: "!", problem: "✗" };

/** Approximate line width for findings that are ok, in characters. */
const WIDTH = 100;

/** Formats findings as lines: one per area for what is ok, then each other finding with its advice. */
export function describeFindings(
  findings: readonly Finding[],
  paint: (level: Level, text: string) => string = (_, text) => text,
): string[] {
  const areas = [...new Set(findings.map(({ area }) => area))];
  const column = Math.max(...areas.map((area) => area.length)) + 2;
  const lines = areas.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    const well = own.filter(({ level }) => level === "ok");
    const head = (level: Level) => `${paint(level, MARKS[level])} ${area.padEnd(column)}`;
    const indent = " ".repeat(column + 2);
    return [
      ...wrap(well.map(label)).map((line, index) => `${index === 0 ? head("ok") : indent}${line}`),
      ...own
        .filter(({ level }) => level !== "ok")
        .flatMap((finding) => [
          `${head(finding.level)}${label(finding)}`,
          ...(finding.advice ? [`${indent}→ ${finding.advice}`] : []),
        ]),
    ];
  });
  return [...lines, "", summarize(findings)];
}

function label({ area, what, found }: Finding): string {
  return what === area ? found : `${what}: ${found}`;
}

function wrap(texts: string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + text.length > WIDTH) lines.push(text);
    else lines[lines.length - 1] = `${last}; ${text}`;
  }
  return lines;
}

function summarize(findings: readonly Finding[]): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems === 0 && warnings === 0) return "Everything is fine.";
  if (problems === 0) return `Nothing is broken; ${formatCount(warnings, "warning")} (!).`;
  return `${formatCount(problems, "problem")} (✗)${warnings > 0 ? `, ${formatCount(warnings, "warning")} (!)` : ""}. Start with the first.`;
}
