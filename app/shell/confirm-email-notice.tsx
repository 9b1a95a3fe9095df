import { useRootData } from "~/features/accounts/root-data";

/** Tells the owner of a new account, on one page and never again, that its address should be confirmed. */
export function ConfirmEmailNotice() {
  const { notice, viewer } = useRootData();
  if (notice !== "confirm-email" || !viewer) return null;
  return (
    <section className="frame relative z-10 pt-4" aria-label="Your email">
      <p className="rounded-md border border-gold bg-highlight px-5 py-4">
        We sent a link to <strong className="wrap-anywhere">{viewer.user.readableEmail}</strong>.
        Please open it to confirm your address.
      </p>
    </section>
  );
}
