import type { ViewerProfile } from "~/features/accounts/viewer";
import { Button, type ButtonVariant, useRedirecting } from "~/ui";

/** Label for former members, who have no membership to manage. */
export const INVOICES_LABEL = "Invoices and receipts";

type ManageMembershipFormProps = {
  label?: string;
  variant?: ButtonVariant;
  className?: string;
  /**
   * Opens the portal's form for another card, or its question whether to cancel, instead of its overview; or takes a
   * cancellation back without the portal.
   */
  page?: "card" | "cancel" | "keep";
};

/** The button that opens Stripe's customer portal, to cancel a membership or change its card. */
export function ManageMembershipForm({
  label = "Manage or cancel membership",
  variant = "secondary",
  className,
  page,
}: ManageMembershipFormProps) {
  const [redirecting, setRedirecting] = useRedirecting();
  return (
    <form
      method="post"
      action="/billing"
      className={className}
      onSubmit={(event) => {
        if (redirecting) event.preventDefault();
        setRedirecting(true);
      }}
    >
      {page && <input type="hidden" name="page" value={page} />}
      <Button type="submit" variant={variant} busy={redirecting}>
        {label}
      </Button>
    </form>
  );
}

/** The buttons of a member: cancel a membership that renews, keep one that ends, and the rest in Stripe's portal. */
export function MembershipActions({
  profile: { status, hasInvoices },
}: {
  profile: Pick<ViewerProfile, "status" | "hasInvoices">;
}) {
  if (status.kind === "complimentary") {
    return hasInvoices && <ManageMembershipForm label={INVOICES_LABEL} />;
  }
  return (
    <>
      {status.kind === "renews" ? (
        <ManageMembershipForm label="Cancel membership" page="cancel" />
      ) : (
        <ManageMembershipForm label="Keep my membership" page="keep" variant="primary" />
      )}
      <ManageMembershipForm label="Card and invoices" />
    </>
  );
}
