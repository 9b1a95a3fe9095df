import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

export * from "@remix-run/dev/server-build";

/** True for `node build/index.js …`; false when remix-serve or a test imports this module. */
function isProgram(): boolean {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url);
}

const { endAtOperatorErrors, runProgram } = await import("./commands/program.server");
await endAtOperatorErrors(async () => {
  if (isProgram()) return runProgram(process.argv);
  const { attachExternalDatabase } = await import("./server/open-database.server");
  attachExternalDatabase();
});
