import type { ViewerProfile } from "~/features/accounts/viewer";
import type { ShownPayment } from "~/features/membership/next-payment";
import { UtcDate } from "~/ui";

/** What of a profile its future is told from. */
export type MembershipFuture = Pick<ViewerProfile, "status" | "nextPayment">;

/** Future charges and when they end. */
export function MembershipStatusText({
  profile: { status, nextPayment },
}: {
  profile: MembershipFuture;
}) {
  switch (status.kind) {
    case "complimentary":
      return (
        <>
          Your membership is complimentary until <AccessEnd at={status.at} />. Nothing is charged.
        </>
      );
    case "renews":
      if (!nextPayment) return "You can cancel anytime.";
      return (
        <>
          Renews <PaymentText payment={nextPayment} />. You can cancel anytime.{" "}
        </>
      );
    case "ends":
      return (
        <>
          Your membership ends on <AccessEnd at={status.at} />. You keep your access until then, and
          nothing more will be charged.
        </>
      );
    case "renews-until":
      return (
        <>
          Your membership ends on <AccessEnd at={status.at} />. Until then it renews
          {nextPayment ? (
            <>
              , next <PaymentText payment={nextPayment} />.
            </>
          ) : (
            " as before."
          )}
        </>
      );
    case "ends-with-problem":
      return (
        <>
          Your membership is canceled and ends on <AccessEnd at={status.at} />.
        </>
      );
  }
}

/** A payment's day and amount: "on December 27, 2026 for $9.99". */
export function PaymentText({ payment: { at, amount } }: { payment: ShownPayment }) {
  return (
    <>
      on <AccessEnd at={at} />
      {amount && ` for ${amount}`}
    </>
  );
}

/** The day access ends, from an ISO 8601 instant. */
export function AccessEnd({ at }: { at: string }) {
  return <UtcDate at={at} className="min-[20rem]:whitespace-nowrap" />;
}
