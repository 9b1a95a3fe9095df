import { useSite } from "~/features/site/page-site";
import { Button, EmailField, Honeypot, TextField } from "~/ui";
import { CANCELLATION_PATH } from "./billing-paths";
import type { ReceivedCancellation } from "./declare-cancellation.server";

type CancellationPageProps = {
  /** The labels of both buttons, as the seller's law wants them. */
  labels: { link: string; button: string };
  /** What was typed before, by field, and why it was not accepted. */
  typed?: Record<string, unknown>;
  problem?: string;
};

/** The page to cancel without signing in (§ 312k BGB). */
export function CancellationPage({ labels, typed = {}, problem }: CancellationPageProps) {
  const { title } = useSite();
  const before = (name: string) => (typeof typed[name] === "string" ? typed[name] : undefined);
  return (
    <section className="frame outcome-page">
      <h1 className="page-heading">{labels.link}</h1>
      <p className="lead">You need not log in. A confirmation goes to your address at once.</p>
      {problem && (
        <p role="alert" className="mt-6 font-semibold text-destructive">
          {problem}
        </p>
      )}
      <form method="post" action={CANCELLATION_PATH} className="mt-8 grid w-full max-w-xl gap-6">
        <fieldset className="grid gap-2">
          <legend className="field-label">Kind of cancellation</legend>
          {KINDS.map(({ kind, label }) => (
            <label key={kind} className="flex gap-3">
              <input
                type="radio"
                name="kind"
                value={kind}
                required
                defaultChecked={(before("kind") ?? "ordinary") === kind}
              />
              {label}
            </label>
          ))}
        </fieldset>
        <label>
          <span className="field-label">Your reason, if it is for an important one</span>
          <textarea
            name="reason"
            rows={3}
            maxLength={2_000}
            defaultValue={before("reason")}
            className="field-input"
          />
        </label>
        <TextField
          label="Your name"
          name="name"
          autoComplete="name"
          required
          maxLength={200}
          defaultValue={before("name")}
        />
        <TextField
          label="Contract"
          name="contract"
          required
          maxLength={200}
          defaultValue={before("contract") ?? `Premium membership, ${title}`}
        />
        <TextField
          label="Last day, if not as early as possible"
          name="endsOn"
          type="date"
          defaultValue={before("endsOn")}
        />
        <EmailField label="Email" autoComplete="email" defaultValue={before("email")} />
        <Honeypot />
        <Button type="submit">{labels.button}</Button>
      </form>
    </section>
  );
}

const KINDS = [
  { kind: "ordinary", label: "Ordinary, at the end of the paid period" },
  { kind: "extraordinary", label: "For an important reason" },
] as const;

/** The declaration as it arrived, to print or save. */
export function CancellationReceivedPage({ receivedAt, facts }: ReceivedCancellation) {
  return (
    <section className="frame outcome-page">
      <h1 className="page-heading">We have received your cancellation</h1>
      <p className="lead">
        It arrived on {receivedAt}. This confirmation is on its way to your address, too.
      </p>
      <dl className="mt-8 grid gap-4">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt className="field-label">{name}</dt>
            <dd className="wrap-anywhere whitespace-pre-wrap">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
