import { useNavigate } from "@remix-run/react";
import { type ReactNode, useState } from "react";
import type { ToastMessage } from "~/toast-messages";
import { Button, toastOf, useToast } from "~/ui";
import type { PasskeyIntent } from "./passkey-ceremony";

type PasskeyButtonProps = {
  intent: PasskeyIntent;
  path: string;
  /** Further fields of the answer's page: where it leads is the site's to say, unless this does. */
  leadsTo?: string;
  /** The toast for a failure that brings none of its own. */
  failed: (message?: string) => ToastMessage;
  busyLabel: string;
  className?: string;
  /** Called after a success, in place of a navigation. */
  onDone?: () => void;
  children: ReactNode;
};

/**
 * A button that makes or uses a passkey, and shows the outcome as a toast. Its script is loaded when it is pressed;
 * to be rendered only where `usePasskeySupport` says so.
 */
export function PasskeyButton({
  intent,
  path,
  leadsTo,
  failed,
  busyLabel,
  className,
  onDone,
  children,
}: PasskeyButtonProps) {
  const navigate = useNavigate();
  const toast = useToast();
  const [busy, setBusy] = useState(false);

  const press = async () => {
    setBusy(true);
    const outcome = await import("./passkey-ceremony").then(
      ({ runCeremony }) => runCeremony(path, intent),
      () => null,
    );
    const isDone = outcome?.kind === "answered" && outcome.answer.ok;
    if (!outcome) toast(failed());
    else if (outcome.kind === "answered") toast(toastOf(outcome.answer, failed()));
    else if (outcome.kind === "unused") toast(outcome.toast);
    else toast(failed(outcome.message));
    if (isDone && onDone) onDone();
    else if (isDone) navigate(leadsTo ?? String(outcome.answer.body.redirectTo ?? "/"));
    else if (outcome?.kind === "answered" && outcome.answer.status === 403) {
      // who it is has to be confirmed first
      navigate(String(outcome.answer.body.redirectTo));
    }
    if (!isDone || onDone) setBusy(false);
  };

  return (
    <Button variant="secondary" busy={busy} className={className} onClick={() => void press()}>
      {busy ? busyLabel : children}
    </Button>
  );
}
