import { useRouteLoaderData } from "@remix-run/react";
import type { PaymentSettings } from "~/features/membership/payment-settings.server";
import type { ShownPrice } from "~/features/membership/premium-price";
import type { ToastMessage } from "~/toast-messages";
import type { Viewer } from "./viewer";

/** Data available to every page, such as its viewer and a pending toast. */
export type RootData = {
  viewer: Viewer | null;
  /** False if the session could not be read. The page shows as signed out and retries. */
  isViewerKnown: boolean;
  /** The flashed toast, with an id unique to each flash. */
  toast: (ToastMessage & { id: string }) | null;
  /** A notice to show once beside the toast; null for none. */
  notice: "confirm-email" | null;
  /** Where the visitor wants to go, and a text's title if they may read it; null for nowhere. */
  destination: { path: string; title: string | null } | null;
  /** A failed form's values to restore, never a password. */
  form: { email: string } | null;
  publicUrl: string;
  payments: PaymentSettings | null;
  /** The current price of premium; null if the amount is unknown. */
  premiumPrice: ShownPrice | null;
  /** What the seller adds to it, such as "incl. 19 % VAT". */
  priceNote: string | null;
  /** The label of the link to the page for cancellations; null without such a page. */
  cancellationLabel: string | null;
};

/** Returns the root loader's data. Throws if the loader failed, as on the error page. */
export function useRootData(): RootData {
  const root = useRouteLoaderData("root") as RootData | undefined;
  if (!root) throw new Error("useRootData needs the root loader's data");
  return root;
}
