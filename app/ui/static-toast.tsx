import type { ToastMessage } from "~/toast-messages";
import { CloseIcon } from "./icons";

type StaticToastProps = {
  id: string;
  message: ToastMessage;
  /** Whether this markup itself is the live region; false when another part announces the toast. */
  announces: boolean;
  onClose: () => void;
  onHold: () => void;
  onRelease: () => void;
};

/** The id of a static toast's element, and so the fragment that closes it without JavaScript. */
export function staticToastId(id: string): string {
  return `toast-${id}`;
}

/**
 * A toast as plain markup: what the server sends, and what shows until the Radix toast has loaded. Without
 * JavaScript the style sheet lets it expire, and its close link hides it by making it the page's target.
 */
export function StaticToast({
  id,
  message,
  announces,
  onClose,
  onHold,
  onRelease,
}: StaticToastProps) {
  const live = message.variant === "destructive" ? "alert" : "status";
  return (
    <section className="toast-viewport" aria-label="Notifications">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: hover and focus only pause what the toast does by itself. */}
      <div
        id={staticToastId(id)}
        className="toast toast-static"
        data-variant={message.variant}
        role={announces ? live : undefined}
        onPointerEnter={onHold}
        onPointerLeave={onRelease}
        onFocus={onHold}
        onBlur={onRelease}
      >
        <ToastText title={message.title} description={message.description} />
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

function ToastText({ title, description }: { title: string; description?: string }) {
  return (
    <div className="toast-text">
      <p className="toast-title">{title}</p>
      {description && <p className="toast-description">{description}</p>}
    </div>
  );
}
