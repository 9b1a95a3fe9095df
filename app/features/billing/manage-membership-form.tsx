import { Button, type ButtonVariant, useRedirecting } from "~/ui";

/** Label for former members, who have no membership to manage. */
export const INVOICES_LABEL = "Invoices and receipts";

type ManageMembershipFormProps = {
  label?: string;
  variant?: ButtonVariant;
  className?: string;
  /** Opens the portal's form for another card instead of its overview. */
  opensCard?: boolean;
};

/** The button that opens Stripe's customer portal, to cancel a membership or change its card. */
export function ManageMembershipForm({
  label = "Manage or cancel membership",
  variant = "secondary",
  className,
  opensCard = false,
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
      {opensCard && <input type="hidden" name="page" value="card" />}
      <Button type="submit" variant={variant} busy={redirecting}>
        {label}
      </Button>
    </form>
  );
}
