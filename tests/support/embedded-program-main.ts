import { openEmbeddedPostgres } from "../../db/embedded";
import { OperatorError } from "../../db/operator-error";
import type { EmbeddedProgramOptions } from "./embedded-program";

const options = JSON.parse(process.argv[2] ?? "") as EmbeddedProgramOptions;
try {
  const postgres = await openEmbeddedPostgres(options);
  console.log(JSON.stringify({ url: postgres.url, ...postgres.server() }));
  // stops when stdin is closed, at the latest when the test process ends
  process.stdin.resume().once("end", () => void postgres.stop());
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exit(1);
}
