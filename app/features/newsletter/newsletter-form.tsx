import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useRootData } from "~/features/accounts/root-data";
import * as toasts from "~/toast-messages";
import { Button, EmailField, Honeypot, postJson, toastOf, useToast } from "~/ui";

/** The newsletter form (specification, 4, 5 and 8). It does not submit an empty value. */
export function NewsletterForm({ className = "" }: { className?: string }) {
  const toast = useToast();
  const { form } = useRootData();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const email = String(fields.get("email") ?? "").trim();
    if (busy || email === "") return;
    // the input is disabled during the request and would lose focus
    button.current?.focus();
    setBusy(true);
    const answer = await postJson("/newsletter", { ...Object.fromEntries(fields), email });
    flushSync(() => setBusy(false));
    toast(toastOf(answer, toasts.subscribeFailed));
    if (!field.current) return;
    if (answer.body.subscribed === true) field.current.value = "";
    else field.current.focus();
  };

  return (
    <form
      method="post"
      action="/newsletter"
      onSubmit={submit}
      aria-busy={busy || undefined}
      className={`flex flex-col gap-3 sm:flex-row sm:items-end ${className}`}
    >
      <input type="hidden" name="redirectTo" value="/#newsletter" />
      <Honeypot />
      <EmailField
        ref={field}
        label="Email address"
        autoComplete="email"
        placeholder="you@example.com"
        disabled={busy}
        defaultValue={form?.email ?? ""}
        className="min-w-0 grow"
      />
      <Button ref={button} type="submit" busy={busy} className="sm:min-w-[10.5rem]">
        {busy ? "Subscribing..." : "Subscribe"}
      </Button>
    </form>
  );
}
