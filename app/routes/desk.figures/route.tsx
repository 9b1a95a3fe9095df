import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  DeskTable,
} from "~/features/desk/desk-parts";
import {
  lastYear,
  readRange,
  recentLetters,
  recentStatistics,
} from "~/features/desk/figures.server";
import { sentPath } from "~/features/desk/letters/letter-paths";
import { formatCount } from "~/features/newsletter/format-count";
import { StatisticsView } from "~/features/statistics/statistics-view";
import type { RouteHandle } from "~/http/route-handle";
import { TextField, UtcDate } from "~/ui";

export const meta = deskMeta("Figures");

// figures that are being counted keep no other page waiting
export const handle: RouteHandle = { inTurn: false };

const NO_RANGE =
  "Write two months such as 2026-01 and 2026-11: the earlier one first, at most ten years apart, none of them in the future. Below are the last twelve.";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const range = readRange(new URL(args.request.url).searchParams);
  const { first, last } = range ?? lastYear();
  const [statistics, others] = await Promise.all([
    recentStatistics({ first, last }),
    recentLetters(),
  ]);
  const page = { isRange: range !== null, first, last, statistics, others };
  return data(page, { status: range ? 200 : 422 });
}

export default function FiguresPage() {
  const { isRange, first, last, statistics, others } = useLoaderData<typeof loader>();
  return (
    <>
      <DeskHeading title="Figures" />
      {!isRange && <DeskProblems refusal={{ message: NO_RANGE }} />}
      <Form method="get" key={first + last} className="desk-actions">
        <TextField label="From" name="from" type="month" defaultValue={first} />
        <TextField label="To" name="to" type="month" defaultValue={last} />
        <DeskSubmit variant="secondary">Show</DeskSubmit>
      </Form>
      <p className="desk-hint">Months are calendar months in UTC; the current one is not over.</p>
      {!(statistics && others) && (
        <p className="desk-empty">The figures are being counted. Reload this page in a minute.</p>
      )}
      {statistics && (
        <div className="desk-charts">
          <StatisticsView statistics={statistics} />
        </div>
      )}
      {others && (
        <>
          <DeskSection title="Letters compared">
            <p className="desk-hint">
              Delivered: the mail server took them, and nobody has reported them as undeliverable.
              Who complains or unsubscribes counts for the last letter they got in the 30 days
              before.
            </p>
            <DeskTable
              caption="Results of each letter"
              columns={[
                "Letter",
                "Start",
                "To",
                "Sent",
                "Delivered",
                "Failed",
                "Complaints",
                "Unsubscribed",
              ]}
              rows={others.letters.map(({ slug, subject, startAt, audience, ...counts }) => ({
                key: slug,
                cells: [
                  <Link key="link" to={sentPath(slug)}>
                    {subject}
                  </Link>,
                  <UtcDate key="start" at={startAt} />,
                  audience === "premium" ? "members" : "subscribers",
                  formatCount(counts.sent),
                  formatCount(counts.sent - counts.bounced),
                  formatCount(counts.failed),
                  formatCount(counts.complaints),
                  formatCount(counts.unsubscribed),
                ],
              }))}
              empty="No letter has been sent yet."
            />
          </DeskSection>
          <DeskSection title="Texts most read">
            <p className="desk-hint">
              Members who have a place in a text, and who marked it as read.
            </p>
            <DeskTable
              caption="Readers of each text"
              columns={["Text", "Opened", "Finished"]}
              rows={others.texts.map(({ slug, title, opened, finished }) => ({
                key: slug,
                cells: [title, formatCount(opened), formatCount(finished)],
              }))}
              empty="No member has opened a text yet."
            />
          </DeskSection>
        </>
      )}
    </>
  );
}
