import type { ComponentProps } from "react";
import { useSite } from "~/features/site/page-site";
import { Button, EmailField, Honeypot, TextField } from "~/ui";
import { CANCELLATION_PATH } from "./billing-paths";
import {
  CANCELLATION_FIELDS,
  CANCELLATION_KINDS,
  CANCELLATION_MAX_LENGTH,
  type ReceivedCancellation,
} from "./cancellation-fields";

type CancellationPageProps = {
  /** The labels of both buttons, as the seller's law wants them. */
  labels: { link: string; button: string };
  /** What was typed before, by field, and why it was not accepted. */
  typed?: Record<string, unknown>;
  problem?: string;
};

/** The page to cancel without signing in (§ 312k BGB). */
export function CancellationPage({ labels, typed, problem }: CancellationPageProps) {
  const { title } = useSite();
  const initial = { contract: `Premium membership, ${title}`, ...typed };
  const field = (name: keyof typeof CANCELLATION_FIELDS) => {
    const value = (initial as Record<string, unknown>)[name];
    const defaultValue = typeof value === "string" ? value : undefined;
    return { name, label: CANCELLATION_FIELDS[name], defaultValue };
  };
  const line = (
    name: keyof typeof CANCELLATION_FIELDS,
    more: Partial<ComponentProps<typeof TextField>> = {},
  ) => <TextField {...field(name)} maxLength={CANCELLATION_MAX_LENGTH} {...more} />;
  const { label, ...kind } = field("kind");
  return (
    <section className="frame outcome-page">
      <h1 className="page-heading">{labels.link}</h1>
      <p className="lead">You don’t need to log in. We’ll email you a confirmation right away.</p>
      {problem && (
        <p role="alert" className="mt-6 text-destructive">
          {problem}
        </p>
      )}
      <form method="post" action={CANCELLATION_PATH} className="mt-8 grid w-full max-w-xl gap-6">
        <label>
          <span className="field-label">{label}</span>
          <select {...kind} className="field-input">
            {CANCELLATION_KINDS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {line("reason")}
        {line("name", { autoComplete: "name", required: true })}
        {line("contract", { required: true })}
        {line("endsOn", { type: "date", label: "Last day (leave empty for as early as possible)" })}
        <EmailField {...field("email")} autoComplete="email" />
        <Honeypot />
        <Button type="submit">{labels.button}</Button>
      </form>
    </section>
  );
}

/** The declaration as it arrived, to print or save. */
export function CancellationReceivedPage({ receivedAt, facts }: ReceivedCancellation) {
  return (
    <section className="frame outcome-page">
      <h1 className="page-heading">We’ve received your cancellation</h1>
      <p className="lead">It arrived on {receivedAt}. We’ve sent you a confirmation.</p>
      <dl className="mt-8 grid gap-4">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt className="field-label">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
