import { join } from "node:path";
import type { Environment } from "~/env.server";
import { currentSite } from "~/features/site/current-site.server";

/** Prints where the demo is served and what to try there. */
export function printDemo({ PUBLIC_URL, SANDBOX, DATA_DIR }: Environment): void {
  const lines = [
    "",
    `  ${currentSite().title} is at      ${PUBLIC_URL}`,
    "",
    "  Things to try",
    `    sign up                  ${PUBLIC_URL}/auth?tab=signup`,
    `    upgrade to premium       ${PUBLIC_URL}/#purchase, then pay with 4242 4242 4242 4242`,
    `    the members' area        ${PUBLIC_URL}/premium`,
    `    the local Stripe         ${SANDBOX?.origin}/ (customers, webhooks, its clock)`,
    `    mail the site sent       ${join(DATA_DIR, "outbox")}`,
    `    database and secrets     ${DATA_DIR}`,
    "",
    "  Ctrl-C stops everything; your data is kept for the next start.",
    "",
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
