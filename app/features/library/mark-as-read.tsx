import { useNavigate } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import * as toasts from "~/toast-messages";
import { Button } from "~/ui/button";
import { postJson, toastOf } from "~/ui/post-json";
import { useToast } from "~/ui/toaster";
import { MARK_AS_READ_ID, PROGRESS_PATH } from "./library-paths";

type MarkAsReadProps = { slug: string; isRead: boolean; className?: string };

/**
 * The button at a text's end that marks it as read, or takes the mark off: at once with JavaScript, by POST and
 * back to it without.
 */
export function MarkAsRead(props: MarkAsReadProps) {
  // the next text begins with its own state
  return <MarkForm key={props.slug} {...props} />;
}

function MarkForm({ slug, isRead, className }: MarkAsReadProps) {
  const toast = useToast();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isMarked = chosen ?? isRead;
  const action = isMarked ? "unread" : "read";

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setChosen(!isMarked);
    const answer = await postJson(PROGRESS_PATH, { slug, action });
    setBusy(false);
    if (answer.status === 403) return navigate(String(answer.body.redirectTo ?? "/"));
    if (!answer.ok) setChosen(isMarked);
    toast(toastOf(answer, toasts.progressFailed));
  };

  return (
    <form
      id={MARK_AS_READ_ID}
      method="post"
      action={PROGRESS_PATH}
      onSubmit={submit}
      className={`print:hidden ${className ?? ""}`}
    >
      <input type="hidden" name="slug" value={slug} />
      <input type="hidden" name="action" value={action} />
      <Button type="submit" variant={isMarked ? "secondary" : "primary"} busy={busy}>
        {isMarked ? "Mark as unread" : "Mark as read"}
      </Button>
    </form>
  );
}
