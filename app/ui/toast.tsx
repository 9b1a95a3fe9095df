import { Link } from "@remix-run/react";
import { Fragment, type PointerEvent, useEffect, useRef } from "react";
import type { ToastMessage } from "~/toast-messages";
import { CloseIcon } from "./icons";
import { useHydrated } from "./use-hydrated";

/** How long a toast stays, in milliseconds (specification, 9). */
const TOAST_DURATION = 5000;

/** How far right a toast must be swiped to close, in CSS pixels (specification, 9). */
const TOAST_SWIPE_THRESHOLD = 50;

type ToastProps = {
  id: string;
  message: ToastMessage;
  /** While true, no time passes for it. */
  isHeld: boolean;
  /** Referentially stable. */
  onClose: () => void;
};

/**
 * A toast, also in the server's HTML. Without JavaScript the style sheet lets it expire, and its close link hides it by
 * making it the page's target.
 */
export function Toast({ id, message, isHeld, onClose }: ToastProps) {
  const { title, description, variant, links } = message;
  const isHydrated = useHydrated();
  const timeLeft = useRef(TOAST_DURATION);
  useEffect(() => {
    if (isHeld) return;
    const since = Date.now();
    const timer = setTimeout(onClose, timeLeft.current);
    return () => {
      clearTimeout(timer);
      timeLeft.current -= Date.now() - since;
    };
  }, [isHeld, onClose]);
  return (
    <div
      id={`toast-${id}`}
      className="toast touch-pan-y select-none"
      data-variant={variant}
      role={variant === "destructive" ? "alert" : undefined}
      {...useSwipe(onClose)}
    >
      <div className="toast-text">
        <p className="toast-title">{title}</p>
        {description && <p className="toast-description">{description}</p>}
        {links && (
          <p className="toast-links">
            {links.map(({ label, to }) => (
              <Fragment key={to}>
                <Link to={to} onClick={onClose}>
                  {label}
                </Link>{" "}
              </Fragment>
            ))}
          </p>
        )}
      </div>
      {isHydrated ? (
        <button type="button" className="toast-close" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      ) : (
        <a href={`#toast-${id}`} className="toast-close" aria-label="Close">
          <CloseIcon />
        </a>
      )}
    </div>
  );
}

/** Lets a pointer drag an element to the right, and calls back if it is released beyond the threshold. */
function useSwipe(onSwiped: () => void) {
  const startX = useRef<number | null>(null);
  const distance = (event: PointerEvent) =>
    startX.current === null ? 0 : Math.max(0, event.clientX - startX.current);
  const letGo = (event: PointerEvent<HTMLElement>) => {
    startX.current = null;
    event.currentTarget.style.transform = "";
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) startX.current = event.clientX;
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (distance(event) === 0) return;
      // only once it moves: capturing at once would suppress the close button's click
      event.currentTarget.setPointerCapture(event.pointerId);
      event.currentTarget.style.transform = `translateX(${distance(event)}px)`;
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const isFarEnough = distance(event) > TOAST_SWIPE_THRESHOLD;
      letGo(event);
      if (isFarEnough) onSwiped();
    },
    onPointerCancel: letGo,
  };
}
