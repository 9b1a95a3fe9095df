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
import { Toast } from "./toast";

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

/** The one toast on the page; `isAtTop` if it appears at the window's top, clear of what was pressed. */
type ShownToast = { id: string; message: ToastMessage; isAtTop: boolean };

type ToasterProps = {
  /** The toast the server flashed with this page's data; each id is shown once. */
  flash: (ToastMessage & { id: string }) | null;
  children: ReactNode;
};

/** Renders the page's single toast, in a list that F8 moves the focus to. The pointer or focus on it holds its time. */
export function Toaster({ flash, children }: ToasterProps) {
  const [shown, setShown] = useState<ShownToast | null>(
    flash && { id: flash.id, message: flash, isAtTop: false },
  );
  const [isHeld, setHeld] = useState(false);
  const shownFlash = useRef(flash?.id);
  const count = useRef(0);
  const viewport = useRef<HTMLElement>(null);

  const replace = useCallback((toast: ShownToast | null) => {
    // the focus must not be lost with what it is on
    if (viewport.current?.contains(document.activeElement)) viewport.current.focus();
    setHeld(false);
    setShown(toast);
  }, []);
  const close = useCallback(() => replace(null), [replace]);
  const show = useCallback(
    (message: ToastMessage) => {
      count.current += 1;
      replace({ id: `shown-${count.current}`, message, isAtTop: isFocusAtBottom() });
    },
    [replace],
  );

  useEffect(() => {
    if (!flash || shownFlash.current === flash.id) return;
    shownFlash.current = flash.id;
    replace({ id: flash.id, message: flash, isAtTop: false });
  }, [flash, replace]);

  useEffect(() => {
    // the pointer or focus may have reached the server's toast before hydration
    if (viewport.current?.querySelector(".toast:is(:hover, :focus-within)")) setHeld(true);
    const reach = ({ key }: KeyboardEvent) => key === "F8" && viewport.current?.focus();
    window.addEventListener("keydown", reach);
    return () => window.removeEventListener("keydown", reach);
  }, []);

  const toast = shown && (
    <Toast key={shown.id} id={shown.id} message={shown.message} isHeld={isHeld} onClose={close} />
  );
  const isAlert = shown?.message.variant === "destructive";
  return (
    <ToastContext.Provider value={show}>
      {children}
      <section
        ref={viewport}
        className="toast-viewport"
        data-at-top={shown?.isAtTop || undefined}
        aria-label="Notifications"
        tabIndex={-1}
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {/* there before the toast is, so that a screen reader hears of it */}
        <div aria-live="polite">{!isAlert && toast}</div>
        {isAlert && toast}
      </section>
    </ToastContext.Provider>
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
