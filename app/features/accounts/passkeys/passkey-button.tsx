import { useNavigate } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ToastMessage } from "~/toast-messages";
import { Button, toastOf, useToast } from "~/ui";
import type { PasskeyIntent } from "./passkey-ceremony";

type PasskeyButtonProps = {
  intent: PasskeyIntent;
  path: string;
  /** Where to go after a success; defaults to the response's `redirectTo`, or "/" without one. */
  leadsTo?: string;
  /** The toast for a failure without its own. */
  failed: (message?: string) => ToastMessage;
  busyLabel: string;
  className?: string;
  /** Whether to start without being pressed, once. */
  startsItself?: boolean;
  /** Called after a success, instead of navigating. */
  onDone?: () => void;
  children: ReactNode;
};

/**
 * A button that creates or uses a passkey and shows the outcome as a toast. Loads its script when pressed. Render it
 * only if `usePasskeySupport` returns true.
 */
export function PasskeyButton({
  intent,
  path,
  leadsTo,
  failed,
  busyLabel,
  className,
  startsItself,
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
    else if (outcome.kind === "answered") {
      // after a sign-in, the next page has the toast
      if (!isDone || outcome.answer.body.toast) toast(toastOf(outcome.answer, failed()));
    } else if (outcome.kind === "unused") toast(outcome.toast);
    else toast(failed(outcome.message));
    if (isDone && onDone) onDone();
    else if (isDone) navigate(leadsTo ?? String(outcome.answer.body.redirectTo ?? "/"));
    else if (outcome?.kind === "answered" && outcome.answer.status === 403) {
      // the user's identity must be verified first
      navigate(String(outcome.answer.body.redirectTo));
    }
    if (!isDone || onDone) setBusy(false);
  };

  const start = useRef(startsItself ? press : null);
  useEffect(() => {
    void start.current?.();
    start.current = null;
  }, []);

  return (
    <Button variant="secondary" busy={busy} className={className} onClick={() => void press()}>
      {busy ? busyLabel : children}
    </Button>
  );
}
