import { openEmbeddedPostgres } from "../../db/embedded";
import { OperatorError } from "../../db/operator-error";
import type { EmbeddedProgramOptions } from "./embedded-program";

const options = JSON.parse(process.argv[2] ?? "") as EmbeddedProgramOptions;
try {
  const postgres = await openEmbeddedPostgres(options);
  console.log(JSON.stringify({ url: postgres.url, ...postgres.server() }));
  // the end of stdin is the signal to stop; it comes with the end of the test process at the latest
  process.stdin.resume().once("end", () => void postgres.stop());
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exit(1);
}
