import { data } from "@remix-run/node";
import type { ToastMessage } from "~/ui/toast-messages";
import type { Viewer } from "./viewer";

/** What every page knows: who is looking, and the toast that waits for them. */
export type RootData = {
  viewer: Viewer | null;
  /** The flashed toast, with an id that differs for each one flashed. */
  toast: (ToastMessage & { id: string }) | null;
  /** Values a failed form left behind for its page (never a password). */
  form: { email: string } | null;
  publicUrl: string;
  payments: { priceId: string; checkoutOrigins: string[]; publishableKey: string | null } | null;
};

export async function loadRoot(_request: Request) {
  const root: RootData = {
    viewer: null,
    toast: null,
    form: null,
    publicUrl: "http://localhost:3000",
    payments: null,
  };
  return data(root);
}
