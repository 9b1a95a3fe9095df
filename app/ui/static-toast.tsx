import { Link } from "@remix-run/react";
import { Fragment, type PointerEvent, useRef } from "react";
import type { ToastMessage } from "~/toast-messages";
import { CloseIcon } from "./icons";
import { TOAST_SWIPE_THRESHOLD } from "./toast-limits";

type StaticToastProps = {
  id: string;
  message: ToastMessage;
  /** Whether this markup is the live region; false when another component announces the toast. */
  announces: boolean;
  isAtTop: boolean;
  onClose: () => void;
  onHold: () => void;
  onRelease: () => void;
};

/** The id of a static toast's element, and so the fragment that closes it without JavaScript. */
export function staticToastId(id: string): string {
  return `toast-${id}`;
}

/**
 * A toast as plain markup: sent by the server, and shown until the Radix toast has loaded. Without JavaScript
 * the style sheet lets it expire, and its close link hides it by making it the page's target.
 */
export function StaticToast({
  id,
  message,
  announces,
  isAtTop,
  onClose,
  onHold,
  onRelease,
}: StaticToastProps) {
  const swipe = useSwipe(onClose);
  const live = message.variant === "destructive" ? "alert" : "status";
  return (
    <section
      className="toast-viewport"
      data-at-top={isAtTop || undefined}
      aria-label="Notifications"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: pointer shortcuts in addition to the close link. */}
      <div
        id={staticToastId(id)}
        className="toast toast-static touch-pan-y select-none"
        data-variant={message.variant}
        role={announces ? live : undefined}
        onPointerEnter={onHold}
        onPointerLeave={onRelease}
        onFocus={onHold}
        onBlur={onRelease}
        {...swipe}
      >
        <div className="toast-text">
          <p className="toast-title">{message.title}</p>
          {message.description && <p className="toast-description">{message.description}</p>}
          <ToastLinks links={message.links} onClose={onClose} />
        </div>
        <a
          className="toast-close"
          href={`#${staticToastId(id)}`}
          aria-label="Close"
          onClick={(event) => {
            event.preventDefault();
            onClose();
          }}
        >
          <CloseIcon />
        </a>
      </div>
    </section>
  );
}

/** A toast's links, if it has any; following one closes it. */
export function ToastLinks({
  links,
  onClose,
}: Pick<ToastMessage, "links"> & { onClose: () => void }) {
  if (!links) return null;
  return (
    <p className="toast-links">
      {links.map(({ label, to }) => (
        <Fragment key={to}>
          <Link to={to} onClick={onClose}>
            {label}
          </Link>{" "}
        </Fragment>
      ))}
    </p>
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
      // only once it moves: capturing at once would suppress the close link's click
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
