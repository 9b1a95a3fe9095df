import { Button, type ButtonVariant } from "~/ui/button";
import { useLeaving } from "~/ui/use-leaving";

/** For whoever has paid before and has no membership to manage. */
export const INVOICES_LABEL = "Invoices and receipts";

type ManageMembershipFormProps = {
  label?: string;
  variant?: ButtonVariant;
  className?: string;
};

/** The way to Stripe's customer portal, where a membership is cancelled and its card mended. */
export function ManageMembershipForm({
  label = "Manage or cancel membership",
  variant = "secondary",
  className,
}: ManageMembershipFormProps) {
  const [leaving, setLeaving] = useLeaving();
  return (
    <form
      method="post"
      action="/billing"
      className={className}
      onSubmit={(event) => {
        if (leaving) event.preventDefault();
        setLeaving(true);
      }}
    >
      <Button type="submit" variant={variant} busy={leaving}>
        {label}
      </Button>
    </form>
  );
}
