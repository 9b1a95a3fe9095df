import { randomUUID } from "node:crypto";
import { reconcileNow } from "~/features/billing/reconcile.server";
import { readAlerts } from "~/features/checks/alerts.server";
import { dataPlace } from "~/features/checks/local-readings.server";
import { describeAlert } from "~/features/checks/report-alerts.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { resumeCampaign } from "~/features/newsletter/campaign-control.server";
import { OperatorError } from "~db/operator-error";
import { retryFailedMails } from "~db/queries/failed-mails";
import { type AlertFacts, findOpenAlerts } from "~db/queries/operator-alerts";
import { readHealthFacts } from "~db/queries/operator-facts";
import type { Author } from "./author.server";
import { type Outcome, startWork } from "./work.server";

/** What resolves an alert, as its command does: a button that does it, and returns what was done. */
type Remedy = { label: string; run: (facts: AlertFacts) => Promise<string> };

const SYNC: Remedy = {
  label: "Sync memberships now",
  run: async () => {
    const { synced, failed } = await reconcileNow();
    return `Synced ${synced} memberships with Stripe; ${failed} failed`;
  },
};

/** By kind of alert. A late backup has a button of its own, since it asks for the password. */
const REMEDIES: Record<string, Remedy> = {
  "webhooks-refused": SYNC,
  "webhooks-silent": SYNC,
  "stripe-unreachable": SYNC,
  "mail-refused": {
    label: "Send failed mails again",
    run: async () => {
      const retried = await retryFailedMails(null);
      if (retried.length === 0) throw new OperatorError("Every failed mail has expired.");
      wakeMailWorker();
      return `Queued again: ${retried.map(({ kind, count }) => `${count} ${kind}`).join(", ")}`;
    },
  },
  "issue-paused": {
    label: "Resume the letter",
    run: async ({ slug }) => {
      const outcome = await resumeCampaign(String(slug));
      if (outcome.kind !== "done") throw new OperatorError("The letter is not paused any more.");
      wakeMailWorker();
      return `Resumed the letter “${outcome.campaign.subject}”`;
    },
  },
};

/** Kinds that are read again before they are shown, since a button resolves them at once. */
const READ_AGAIN = new Set(["issue-paused", "backup-late"]);

/** Loads the open alerts with what they mean, their advice, and the label of the button that resolves each, if there is one. */
export async function listAlerts(now = new Date()) {
  const open = await findOpenAlerts();
  if (open.length === 0) return [];
  const [facts, place] = await Promise.all([
    readHealthFacts({ place: "", startId: randomUUID() }),
    dataPlace(),
  ]);
  const over = readAlerts(facts, open, place, now)
    .filter(({ kind, state }) => READ_AGAIN.has(kind) && state === "good")
    .map(({ key }) => key);
  const shown = open.filter(({ key }) => !over.includes(key));
  const described = shown.map(async (alert) => {
    const words = await describeAlert(alert);
    const button = REMEDIES[alert.kind]?.label ?? null;
    return words && { ...words, id: alert.id, since: words.since.toISOString(), button };
  });
  return (await Promise.all(described)).filter((alert) => alert !== null);
}

/** Does what resolves an open alert; null while that goes on. */
export async function resolveAlert(id: string, author: Author): Promise<Outcome | null> {
  const alert = (await findOpenAlerts()).find((one) => one.id === id);
  const remedy = alert && REMEDIES[alert.kind];
  if (!remedy) return { isDone: false, text: "This alert is over, or no button resolves it." };
  return startWork(remedy.label, author, () => remedy.run(alert.facts));
}
