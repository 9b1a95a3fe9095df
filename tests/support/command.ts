import { vi } from "vitest";
import { createProgram } from "~/commands/program.server";
import { OperatorError } from "~db/operator-error";

/** Runs a command of the program in this process, whose environment is set; returns its exit code and output. */
export async function runCommand(...command: string[]): Promise<{
  code: number;
  stdout: string;
  stderr: string;
}> {
  const output = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text, ...rest: unknown[]) => {
      output[name] += String(text);
      const written = rest.at(-1);
      if (typeof written === "function") written();
      return true;
    }),
  );
  try {
    await createProgram().parseAsync(["node", "golden-path", ...command]);
    return { code: 0, ...output };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { code: 1, stdout: output.stdout, stderr: `${output.stderr}${error.message}\n` };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
