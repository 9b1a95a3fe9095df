import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, redirect, useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  ChoiceField,
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  HiddenFields,
} from "~/features/desk/desk-parts";
import { LETTERS_PATH, letterPath, sentPath } from "~/features/desk/letters/letter-paths";
import { planSending, sendLetter } from "~/features/desk/letters/send-letter.server";
import { formatCount } from "~/features/newsletter/format-count";
import { doneAt, doneOrRefused, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import { TextField } from "~/ui";

const AUDIENCES = { subscribers: "All subscribers", premium: "Members on the list" };

export const meta = deskMeta("Send a letter");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args, "sensitive");
  const { id = "" } = args.params;
  const asked = new URL(args.request.url).searchParams;
  const at = asked.get("at") ?? "";
  const plan = await planSending(id, { audience: asked.get("audience") ?? "subscribers", at });
  if (!plan) throw redirect(LETTERS_PATH);
  const { issue: _, ...shown } = plan;
  return { ...shown, id, at, zone: utcOffset() };
}

/** The server's time zone now, such as "UTC+01:00". */
function utcOffset(): string {
  const minutes = -new Date().getTimezoneOffset();
  const clock = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
  return minutes === 0 ? "UTC" : `UTC${minutes < 0 ? "−" : "+"}${clock}`;
}

export async function action(args: ActionFunctionArgs) {
  const { id = "" } = args.params;
  const author = await requireAuthor(args, "sensitive", `${letterPath(id)}/send`);
  const { fields } = await readForm(args.request);
  const slug = textOf(fields.slug);
  const people = textOf(fields.people).replace(/[\s,.]/g, "");
  return doneOrRefused(async () => {
    await sendLetter(author, id, {
      slug,
      version: Number(fields.version),
      audience: textOf(fields.audience),
      at: textOf(fields.at),
      people: people === "" ? Number.NaN : Number(people),
    });
    return doneAt(sentPath(slug), `${people} emails are queued`);
  });
}

export default function SendLetter() {
  const plan = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { id, name, audiences, audience, at, zone } = plan;
  return (
    <>
      <DeskHeading title={`Send “${name}”`}>
        <Link to={letterPath(id)}>Back to the letter</Link>
      </DeskHeading>
      <DeskProblems refusal={answer?.refusal} />
      <Form method="get" className="desk-actions">
        <ChoiceField
          key={audience}
          label="To"
          name="audience"
          options={audiences.map((each) => [each, AUDIENCES[each]] as const)}
          defaultValue={audience}
        />
        <TextField
          label={`Start, in ${zone}; empty for now`}
          name="at"
          type="datetime-local"
          defaultValue={at}
        />
        <DeskSubmit variant="secondary">Count</DeskSubmit>
      </Form>
      {plan.refusal ? <DeskProblems refusal={plan.refusal} /> : <Confirmation {...plan} />}
    </>
  );
}

type Plan = ReturnType<typeof useLoaderData<typeof loader>>;

/** Who gets the letter and who does not, and the button that sends it. */
function Confirmation({ audience, at, slug, version, start, warnings, counts }: Plan) {
  const { recipients, suppressed, unconfirmed, unsubscribedMembers } = counts;
  return (
    <DeskSection title="What will happen">
      {warnings.map((warning) => (
        <p key={warning} className="desk-notice">
          {warning}
        </p>
      ))}
      <DeskFacts
        facts={[
          ["It goes to", formatCount(recipients)],
          ["Not to suppressed addresses", formatCount(suppressed)],
          ["Not to unconfirmed addresses", formatCount(unconfirmed)],
          [
            "Not to members who haven’t subscribed",
            audience === "premium" ? formatCount(unsubscribedMembers) : null,
          ],
          ["Starts", start],
        ]}
      />
      <Form method="post" className="desk-actions desk-section">
        <HiddenFields fields={{ audience, at, slug, version: String(version) }} />
        <TextField
          label={`Type ${formatCount(recipients)} to confirm`}
          name="people"
          inputMode="numeric"
          autoComplete="off"
          required
        />
        <DeskSubmit>Send it</DeskSubmit>
      </Form>
    </DeskSection>
  );
}
