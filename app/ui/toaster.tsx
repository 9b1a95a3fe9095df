import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import type { ToastMessage } from "~/toast-messages";
import type { ShownToast } from "./radix-toast";
import { StaticToast, staticToastId } from "./static-toast";
import { TOAST_DURATION } from "./toast-limits";
import { useBrowserLayoutEffect } from "./use-browser-layout-effect";
import { useOnDemand } from "./use-on-demand";

const fetchRadixToast = () => import("./radix-toast").then((module) => module.RadixToast);

const ToastContext = createContext<((toast: ToastMessage) => void) | null>(null);

/**
 * Returns the function that shows a toast in place of any other. Referentially stable. Throws outside a
 * Toaster.
 */
export function useToast(): (toast: ToastMessage) => void {
  const show = useContext(ToastContext);
  if (!show) throw new Error("useToast must be used within a Toaster");
  return show;
}

type ToasterProps = {
  /** The toast the server flashed with this page's data; each id is shown once. */
  flash: (ToastMessage & { id: string }) | null;
  children: ReactNode;
};

/**
 * Renders the page's single toast. It starts as plain markup, in the server's HTML or at once; the Radix
 * toast is loaded on the first interaction and then takes over.
 */
export function Toaster({ flash, children }: ToasterProps) {
  const [shown, setShown] = useState<ShownToast | null>(() =>
    flash
      ? { id: flash.id, message: flash, open: true, announced: true, isAtTop: false, run: 0 }
      : null,
  );
  const shownFlash = useRef(flash?.id);
  const count = useRef(0);
  const clock = useRef(newToastClock());

  const open = useCallback((id: string, message: ToastMessage, isAtTop = false) => {
    clock.current = newToastClock();
    keepFocusInViewport();
    setShown((previous) => ({
      id,
      message,
      open: true,
      announced: false,
      isAtTop,
      run: previous?.open ? previous.run : (previous?.run ?? 0) + 1,
    }));
  }, []);
  const show = useCallback(
    (message: ToastMessage) => {
      count.current += 1;
      open(`shown-${count.current}`, message, isFocusAtBottom());
    },
    [open],
  );
  const close = useCallback((id: string) => {
    setShown((previous) => (previous?.id === id ? { ...previous, open: false } : previous));
  }, []);

  useEffect(() => {
    if (!flash || shownFlash.current === flash.id) return;
    shownFlash.current = flash.id;
    open(flash.id, flash);
  }, [flash, open]);

  useEffect(() => {
    // The server's toast starts counting on hydration, unless it was closed before.
    clock.current = newToastClock();
    const id = shownFlash.current;
    if (id && window.location.hash === `#${staticToastId(id)}`) close(id);
  }, [close]);

  return (
    <ToastContext.Provider value={show}>
      {children}
      <ToastHolder shown={shown} clock={clock} onClose={close} />
    </ToastContext.Provider>
  );
}

type ToastClock = { since: number; heldAt: number | null };

function newToastClock(): ToastClock {
  return { since: Date.now(), heldAt: null };
}

/** Remaining time of the toast, with a minimum so that it does not vanish while being replaced. */
function timeLeft({ since, heldAt }: ToastClock): number {
  return Math.min(
    TOAST_DURATION,
    Math.max(1000, TOAST_DURATION - ((heldAt ?? Date.now()) - since)),
  );
}

function ToastHolder({
  shown,
  clock,
  onClose,
}: {
  shown: ShownToast | null;
  clock: { current: ToastClock };
  onClose: (id: string) => void;
}) {
  const [Radix, load] = useOnDemand(fetchRadixToast);
  const [held, setHeld] = useState(false);
  const isOpen = shown?.open ?? false;
  const id = shown?.id;

  useEffect(() => {
    // The pointer or focus may have reached the server's toast before hydration.
    if (document.querySelector(".toast-static:is(:hover, :focus-within)")) setHeld(true);
  }, []);

  // A layout effect, so that it runs in the hydration commit and no early key press is missed.
  useBrowserLayoutEffect(() => {
    if (isOpen) load();
    const wishes = ["pointerdown", "keydown"] as const;
    for (const wish of wishes) window.addEventListener(wish, load, { once: true, passive: true });
    return () => {
      for (const wish of wishes) window.removeEventListener(wish, load);
    };
  }, [isOpen, load]);

  // A toast that is hovered or contains the focus is not replaced.
  const takeOver = Radix !== null && !(isOpen && held);
  const plain = isOpen && !takeOver;

  useEffect(() => {
    if (!plain || held || id === undefined) return;
    const timer = setTimeout(() => onClose(id), timeLeft(clock.current));
    return () => clearTimeout(timer);
  }, [plain, held, id, clock, onClose]);

  const hold = () => {
    clock.current.heldAt ??= Date.now();
    setHeld(true);
  };
  const release = () => {
    const { heldAt } = clock.current;
    if (heldAt !== null) clock.current.since += Date.now() - heldAt;
    clock.current.heldAt = null;
    setHeld(false);
  };

  if (takeOver) {
    return <Radix shown={shown} timeLeft={() => timeLeft(clock.current)} onClose={onClose} />;
  }
  if (!shown?.open) return null;
  return (
    <StaticToast
      id={shown.id}
      message={shown.message}
      announces={shown.announced}
      isAtTop={shown.isAtTop}
      onClose={() => {
        setHeld(false);
        onClose(shown.id);
      }}
      onHold={hold}
      onRelease={release}
    />
  );
}

/** As much of a window's bottom as a toast takes, in CSS pixels. */
const TOAST_SPACE = 220;

/** Whether a toast at the window's bottom may cover the control that causes it, or what belongs to that. */
function isFocusAtBottom(): boolean {
  const focused = document.activeElement;
  if (!focused || focused === document.body || focused.closest(".toast-viewport")) return false;
  const { bottom } = (focused.closest("[data-clear-of-toast]") ?? focused).getBoundingClientRect();
  return bottom > window.innerHeight - TOAST_SPACE && bottom - TOAST_SPACE < window.innerHeight;
}

/** Moves focus from a toast about to be replaced to the list that holds it, so that it is not lost. */
function keepFocusInViewport() {
  const focused = document.activeElement;
  const viewport = focused?.closest<HTMLElement>(".toast-viewport");
  if (viewport && viewport !== focused) viewport.focus();
}
