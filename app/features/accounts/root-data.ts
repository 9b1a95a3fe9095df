import { useRouteLoaderData } from "@remix-run/react";
import type { PaymentSettings } from "~/features/membership/payment-settings.server";
import type { ShownPrice } from "~/features/membership/premium-price";
import type { ToastMessage } from "~/toast-messages";
import type { Viewer } from "./viewer";

/** What every page knows: who is looking, and the toast that waits for them. */
export type RootData = {
  viewer: Viewer | null;
  /** False when the session could not be read: nobody is shown as signed in, and the page asks again. */
  isViewerKnown: boolean;
  /** The flashed toast, with an id that differs for each one flashed. */
  toast: (ToastMessage & { id: string }) | null;
  /** Values a failed form left behind for its page (never a password). */
  form: { email: string } | null;
  publicUrl: string;
  payments: PaymentSettings | null;
  /** What premium costs whoever buys it now; null where no amount can be named. */
  premiumPrice: ShownPrice | null;
};

/** What the root loader knows of this visit. Throws where it failed, as on the error page. */
export function useRootData(): RootData {
  const root = useRouteLoaderData("root") as RootData | undefined;
  if (!root) throw new Error("useRootData needs the root loader's data");
  return root;
}
