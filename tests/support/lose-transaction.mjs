// Runs in a separate process: terminates the session of a transaction during a statement, and catches the error
// with which postgres.js rejects the transaction. Parameters: the server's address and its socket.
import { setImmediate as checkPhase } from "node:timers/promises";
import postgres from "postgres";

const [url = "", path] = process.argv.slice(2);
const sql = postgres(url, { path, max: 1 });
await sql
  .begin((tx) => tx`select pg_terminate_backend(pg_backend_pid())`)
  .catch((error) => console.log(`The transaction was lost: ${error.code}`));
// by the second check phase the driver has sent its rollback
await checkPhase();
await checkPhase();
await sql.end({ timeout: 0 });
