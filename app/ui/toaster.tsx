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

/** The call that shows a toast in place of any other. Stable between renders. Throws outside a Toaster. */
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
 * Holds the page's one toast. It is plain markup first, so that it shows in the server's HTML and at once;
 * the Radix toast is fetched when somebody begins to use the page and then takes over what is shown.
 */
export function Toaster({ flash, children }: ToasterProps) {
  const [shown, setShown] = useState<ShownToast | null>(() =>
    flash ? { id: flash.id, message: flash, open: true, announced: true, run: 0 } : null,
  );
  const shownFlash = useRef(flash?.id);
  const count = useRef(0);
  const clock = useRef(newToastClock());

  const open = useCallback((id: string, message: ToastMessage) => {
    clock.current = newToastClock();
    keepFocusInViewport();
    setShown((previous) => ({
      id,
      message,
      open: true,
      announced: false,
      run: previous?.open ? previous.run : (previous?.run ?? 0) + 1,
    }));
  }, []);
  const show = useCallback(
    (message: ToastMessage) => {
      count.current += 1;
      open(`shown-${count.current}`, message);
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
    // The server's toast begins to count when the page comes alive, unless it was closed before that.
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

/** What is left of the toast's time, and never so little that it vanishes in the act of being replaced. */
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
    // The pointer or the focus may have reached the server's toast before the page came alive.
    if (document.querySelector(".toast-static:is(:hover, :focus-within)")) setHeld(true);
  }, []);

  // In the commit that makes the page alive, and not some time after it: the first key counts.
  useBrowserLayoutEffect(() => {
    if (isOpen) load();
    const wishes = ["pointerdown", "keydown"] as const;
    for (const wish of wishes) window.addEventListener(wish, load, { once: true, passive: true });
    return () => {
      for (const wish of wishes) window.removeEventListener(wish, load);
    };
  }, [isOpen, load]);

  // A toast under the pointer or with the focus inside is not swapped for another element.
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
      onClose={() => {
        setHeld(false);
        onClose(shown.id);
      }}
      onHold={hold}
      onRelease={release}
    />
  );
}

/** Focus inside a toast that is about to be replaced moves to the list that holds it, not to nowhere. */
function keepFocusInViewport() {
  const focused = document.activeElement;
  const viewport = focused?.closest<HTMLElement>(".toast-viewport");
  if (viewport && viewport !== focused) viewport.focus();
}
