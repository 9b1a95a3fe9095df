import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, redirect, useActionData, useLoaderData, useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import * as parts from "~/features/desk/desk-parts";
import { letterPath, sentPath } from "~/features/desk/letters/letter-paths";
import { controlSent, duplicateSent, loadSent } from "~/features/desk/letters/sent-letters.server";
import { formatCount } from "~/features/newsletter/format-count";
import { issuePath } from "~/features/newsletter/newsletter-paths";
import { doneAt, refuse, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import { UtcTime } from "~/ui";

const REFRESH_MS = 2_000;

export const meta = deskMeta("Letter");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const letter = await loadSent(args.params.slug ?? "");
  if (!letter) throw new Response(null, { status: 404 });
  return letter;
}

export async function action(args: ActionFunctionArgs) {
  const { slug = "" } = args.params;
  const path = sentPath(slug);
  const intent = textOf((await readForm(args.request)).fields.intent);
  const author = await requireAuthor(args, intent === "cancel" ? "sensitive" : "work", path);
  if (intent === "duplicate") {
    const id = await duplicateSent(author, slug);
    if (id) return redirect(letterPath(id), 303);
  }
  const done = await controlSent(author, slug, intent);
  return done ? doneAt(path, done) : refuse({ message: "That changed nothing." });
}

export default function SentLetter() {
  const letter = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { state, left, failed, isSending, sent, total, departures } = letter;
  useRefresh(isSending);
  const { DeskButton, DeskFacts, DeskHeading, DeskProblems, DeskSection, DeskTable } = parts;
  return (
    <>
      <DeskHeading title={letter.subject}>
        <a href={issuePath(letter.slug)}>Its page</a>
      </DeskHeading>
      <DeskProblems refusal={answer?.refusal} />
      <DeskFacts
        facts={[
          ["State", letter.phase],
          ["To", letter.audience === "premium" ? "members on the list" : "subscribers"],
          ["Start", <UtcTime key="start" at={letter.startAt} />],
          ["Delivered", `${formatCount(sent)} of ${formatCount(total)}`],
          ...letter.counts.map(([count, what]) => [what, formatCount(count)] as const),
          ["Unsubscribed within 30 days", formatCount(departures.unsubscribed)],
          ["Called it spam within 30 days", formatCount(departures.complained)],
        ]}
      />
      {isSending && <progress value={total - left} max={total} aria-label="Sending" />}
      <div className="desk-actions desk-section">
        {isSending && <Link to=".">Refresh</Link>}
        {state === "running" && left > 0 && (
          <DeskButton fields={{ intent: "pause" }}>Pause</DeskButton>
        )}
        {state === "paused" && <DeskButton fields={{ intent: "resume" }}>Go on</DeskButton>}
        {state !== "cancelled" && failed > 0 && (
          <DeskButton fields={{ intent: "retry" }}>Send the failed ones again</DeskButton>
        )}
        <DeskButton fields={{ intent: "duplicate" }}>Duplicate as a new draft</DeskButton>
      </div>
      {failed > 0 && (
        <DeskSection title="Failed">
          <DeskTable
            caption="Replies of the mail server"
            columns={["Reply", "Emails"]}
            rows={letter.failures.map(({ reply, count }) => ({
              key: String(reply),
              cells: [reply ?? "no answer", formatCount(count)],
            }))}
            empty="None was refused."
          />
        </DeskSection>
      )}
      {state !== "cancelled" && left > 0 && (
        <details className="desk-section">
          <summary>Cancel it</summary>
          <p>What isn’t sent yet is never sent. This can’t be undone.</p>
          <DeskButton fields={{ intent: "cancel" }}>Cancel it for good</DeskButton>
        </details>
      )}
    </>
  );
}

/** Loads the page's numbers again every two seconds while a letter goes out and the page is seen. */
function useRefresh(isSending: boolean) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!isSending) return;
    const timer = setInterval(() => document.hidden || revalidate(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isSending, revalidate]);
}
