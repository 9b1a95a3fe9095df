import { Button, type ButtonVariant, useRedirecting } from "~/ui";

/** Label for users who have paid before but have no membership to manage. */
export const INVOICES_LABEL = "Invoices and receipts";

type ManageMembershipFormProps = {
  label?: string;
  variant?: ButtonVariant;
  className?: string;
  /** Opens the portal's form for another card instead of its overview. */
  opensCard?: boolean;
};

/** Opens Stripe's customer portal, where a membership is cancelled and its card changed. */
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
