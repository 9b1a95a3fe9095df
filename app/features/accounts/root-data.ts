import { useRouteLoaderData } from "@remix-run/react";
import type { PaymentSettings } from "~/features/membership/payment-settings.server";
import type { ShownPrice } from "~/features/membership/premium-price";
import type { ToastMessage } from "~/toast-messages";
import type { Viewer } from "./viewer";

/** The data of every page, such as its viewer and a pending toast. */
export type RootData = {
  viewer: Viewer | null;
  /** False when the session could not be read: the page is shown signed out and retries. */
  isViewerKnown: boolean;
  /** The flashed toast, with an id that differs for each one flashed. */
  toast: (ToastMessage & { id: string }) | null;
  /** What to tell once beside the toast; null for nothing. */
  notice: "confirm-email" | null;
  /** Values of a failed form for its page to restore (never a password). */
  form: { email: string } | null;
  publicUrl: string;
  payments: PaymentSettings | null;
  /** The current price of premium; null when no amount is known. */
  premiumPrice: ShownPrice | null;
};

/** The root loader's data. Throws where the loader failed, as on the error page. */
export function useRootData(): RootData {
  const root = useRouteLoaderData("root") as RootData | undefined;
  if (!root) throw new Error("useRootData needs the root loader's data");
  return root;
}
