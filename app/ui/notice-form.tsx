import { useLocation } from "@remix-run/react";
import type { ReactNode } from "react";
import type { ToastMessage } from "~/toast-messages";
import * as toasts from "~/toast-messages";
import { useToast } from "./toaster";

const NOTICES = {
  purchase: toasts.purchaseComingSoon,
  profile: toasts.notImplemented,
} satisfies Record<string, ToastMessage>;

type NoticeFormProps = {
  notice: keyof typeof NOTICES;
  /** The submit button. */
  children: ReactNode;
  className?: string;
};

/**
 * A form around one button that shows a notice (specification, 8): at once with JavaScript, by POST to
 * `/notice` and back to this page without.
 */
export function NoticeForm({ notice, children, className }: NoticeFormProps) {
  const toast = useToast();
  const { pathname, search } = useLocation();
  return (
    <form
      method="post"
      action="/notice"
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        toast(NOTICES[notice]);
      }}
    >
      <input type="hidden" name="notice" value={notice} />
      <input type="hidden" name="redirectTo" value={`${pathname}${search}`} />
      {children}
    </form>
  );
}
