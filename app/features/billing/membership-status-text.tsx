import type { ViewerProfile } from "~/features/accounts/viewer";
import { UtcDate } from "~/ui";

/** Future charges and when they end. */
export function MembershipStatusText({ profile: { status, price } }: { profile: ViewerProfile }) {
  switch (status.kind) {
    case "renews": {
      const terms = price
        ? `${price.amount} ${price.period}, cancel anytime.`
        : "You can cancel anytime.";
      return `${terms} Cards, invoices and cancelling are all in one place.`;
    }
    case "ends":
      return (
        <>
          Your membership is cancelled. You keep your access until <AccessEnd at={status.at} />, and
          nothing more will be charged.
        </>
      );
    case "renews-until":
      return (
        <>
          Your membership ends on <AccessEnd at={status.at} />. Until then it renews
          {price ? ` at ${price.amount} ${price.period}` : " as before"}.
        </>
      );
    case "ends-with-problem":
      return (
        <>
          Your membership is cancelled and ends on <AccessEnd at={status.at} />.
        </>
      );
  }
}

/** The day access ends, from an ISO 8601 instant. */
export function AccessEnd({ at }: { at: string }) {
  return <UtcDate at={at} className="min-[20rem]:whitespace-nowrap" />;
}
