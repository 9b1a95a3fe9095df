import { vi } from "vitest";
import { log } from "~/observability/log.server";

export type LogLine = { level: string; message: string; facts: Record<string, unknown> };

const LEVELS = ["fatal", "error", "warn", "info", "debug"] as const;

/** Records what is logged from now on, at any level, until `vi.restoreAllMocks`. */
export function watchLog(): LogLine[] {
  const lines: LogLine[] = [];
  for (const level of LEVELS) {
    vi.spyOn(log(), level).mockImplementation((first: unknown, second?: unknown) => {
      const [facts, message] = typeof first === "string" ? [{}, first] : [first, second];
      lines.push({ level, message: String(message), facts: facts as Record<string, unknown> });
    });
  }
  return lines;
}

/** Log lines as one text, including all properties of errors, to search for what must not be logged. */
export function everythingIn(lines: LogLine[]): string {
  return lines
    .map((line) =>
      JSON.stringify(line, (_key, value: unknown) =>
        value instanceof Error
          ? { ...value, name: value.name, message: value.message, stack: value.stack }
          : value,
      ),
    )
    .join("\n");
}
