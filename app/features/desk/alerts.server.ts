import { reconcileNow } from "~/features/billing/reconcile.server";
import { describeAlert } from "~/features/checks/report-alerts.server";
import { typographic } from "~/features/library/importer/render-document.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { resumeCampaign } from "~/features/newsletter/campaign-control.server";
import { OperatorError } from "~db/operator-error";
import { retryFailedMails } from "~db/queries/failed-mails";
import { type AlertFacts, findOpenAlerts, updateAlert } from "~db/queries/operator-alerts";
import type { Author } from "./author.server";
import { startWork, type Work } from "./work.server";

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

/**
 * Loads the open alerts with what they mean, their advice, and the label of the button that resolves each, if there is one. Leaves
 * out those that look well again.
 */
export async function listAlerts() {
  const open = (await findOpenAlerts()).filter(({ goodSince }) => goodSince === null);
  const described = open.map(async (alert) => {
    const words = await describeAlert(alert);
    const button = REMEDIES[alert.kind]?.label ?? null;
    return (
      words && {
        ...words,
        title: typographic(words.title, "en"),
        id: alert.id,
        since: words.since.toISOString(),
        button,
      }
    );
  });
  return (await Promise.all(described)).filter((alert) => alert !== null);
}

/** Does what resolves an open alert. It counts as well again until the site's next check, which resolves it or shows it again. */
export async function resolveByHand(author: Author, id = ""): Promise<Work> {
  const alert = (await findOpenAlerts()).find((one) => one.id === id);
  const { label = "Resolve an alert", run } = REMEDIES[alert?.kind ?? ""] ?? {};
  return startWork(label, author, async () => {
    if (!alert || !run) throw new OperatorError("This alert is over, or no button resolves it.");
    const text = await run(alert.facts);
    await updateAlert(id, { goodSince: new Date() });
    return text;
  });
}
