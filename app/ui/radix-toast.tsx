import {
  ToastClose,
  ToastDescription,
  ToastProvider,
  Toast as ToastRoot,
  ToastTitle,
  ToastViewport,
} from "@radix-ui/react-toast";
import { useState } from "react";
import type { ToastMessage } from "~/toast-messages";
import { CloseIcon } from "./icons";
import { ToastLinks } from "./static-toast";
import { TOAST_DURATION, TOAST_SWIPE_THRESHOLD } from "./toast-limits";

/** The one toast on the page. */
export type ShownToast = {
  id: string;
  message: ToastMessage;
  open: boolean;
  /** Whether the server's HTML contained it, in its own live region. */
  announced: boolean;
  /** Whether it appears at the window's top, clear of what was pressed. */
  isAtTop: boolean;
  /** A toast that replaces an open one shares its run. */
  run: number;
};

type RadixToastProps = {
  shown: ShownToast | null;
  /** Remaining time of the toast when it is first rendered here, in milliseconds. */
  timeLeft: () => number;
  onClose: (id: string) => void;
};

/**
 * The full toast: paused by hover, focus and window blur, dismissed by a swipe to the right, announced
 * politely or assertively.
 */
export function RadixToast({ shown, timeLeft, onClose }: RadixToastProps) {
  return (
    // If a hovered toast closes, Radix's provider stays paused for good, so each run of toasts gets a fresh
    // one. A toast that replaces an open one stays in its run, and so stays paused.
    <ToastProvider
      key={shown?.run}
      label="Notification"
      duration={TOAST_DURATION}
      swipeDirection="right"
      swipeThreshold={TOAST_SWIPE_THRESHOLD}
      announcerContainer={shown?.announced ? document.createElement("div") : undefined}
    >
      {shown && (
        <Toast key={shown.id} shown={shown} timeLeft={timeLeft} onClose={() => onClose(shown.id)} />
      )}
      <ToastViewport className="toast-viewport" data-at-top={shown?.isAtTop || undefined} />
    </ToastProvider>
  );
}

function Toast({
  shown,
  timeLeft,
  onClose,
}: {
  shown: ShownToast;
  timeLeft: () => number;
  onClose: () => void;
}) {
  const [duration] = useState(timeLeft);
  const { title, description, variant, links } = shown.message;
  return (
    <ToastRoot
      className="toast"
      data-variant={variant}
      data-took-over={duration < TOAST_DURATION || shown.announced || undefined}
      type={variant === "destructive" ? "foreground" : "background"}
      duration={duration}
      open={shown.open}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <div className="toast-text">
        <ToastTitle className="toast-title">{title}</ToastTitle>
        {description && (
          <ToastDescription className="toast-description">{description}</ToastDescription>
        )}
        <ToastLinks links={links} onClose={onClose} />
      </div>
      <ToastClose className="toast-close" aria-label="Close">
        <CloseIcon />
      </ToastClose>
    </ToastRoot>
  );
}
