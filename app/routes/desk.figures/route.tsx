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
  lastMonths,
  type MonthRange,
  readRange,
  recentLetters,
  recentStatistics,
} from "~/features/desk/figures.server";
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
  const usual = lastMonths(12);
  const shown = range ?? usual;
  const links = [["12 months", usual] as const, ["24 months", lastMonths(24)] as const];
  const [statistics, others] = await Promise.all([recentStatistics(shown), recentLetters()]);
  const page = { isRange: range !== null, shown, links, statistics, others };
  return data(page, { status: range ? 200 : 422 });
}

const searchOf = ({ first, last }: MonthRange) => `?from=${first}&to=${last}`;

export default function FiguresPage() {
  const { isRange, shown, links, statistics, others } = useLoaderData<typeof loader>();
  const { first, last } = shown;
  return (
    <>
      <DeskHeading title="Figures">
        <a href={`/desk/figures.html${searchOf(shown)}`}>Download as a page</a>
      </DeskHeading>
      {!isRange && <DeskProblems refusal={{ message: NO_RANGE }} />}
      <Form method="get" key={first + last} className="desk-actions">
        {links.map(([label, range]) => (
          <Link key={label} to={searchOf(range)}>
            {label}
          </Link>
        ))}
        {others && <Link to={`?from=${others.firstMonth}`}>All</Link>}
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
      {others && <Compared {...others} />}
    </>
  );
}

type ComparedProps = NonNullable<ReturnType<typeof useLoaderData<typeof loader>>["others"]>;

function Compared({ letters, texts }: ComparedProps) {
  const letterRows = letters.map((letter) => {
    const { slug, subject, startAt, audience, sent, bounced, failed, complaints, left } = letter;
    const counts = [sent, sent - bounced, failed, complaints, left];
    const link = (
      <Link key="link" to={`/desk/letters/sent/${slug}`}>
        {subject}
      </Link>
    );
    const to = audience === "premium" ? "members" : "subscribers";
    const cells = [
      link,
      <UtcDate key={slug} at={startAt} />,
      to,
      ...counts.map((count) => formatCount(count)),
    ];
    return { key: slug, cells };
  });
  const textRows = texts.map(({ slug, title, opened, finished }) => ({
    key: slug,
    cells: [title, formatCount(opened), formatCount(finished)],
  }));
  return (
    <>
      <DeskSection title="Letters compared">
        <p className="desk-hint">
          Delivered: the mail server took them, and nobody has reported them as undeliverable. Left
          after it: people who are no longer on the list, and whose last letter it was. A complaint
          counts for the last letter before it.
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
            "Left after it",
          ]}
          rows={letterRows}
          empty="No letter has been sent yet."
        />
      </DeskSection>
      <DeskSection title="Texts most read">
        <p className="desk-hint">Members who have a place in a text, and who marked it as read.</p>
        <DeskTable
          caption="Readers of each text"
          columns={["Text", "Opened", "Finished"]}
          rows={textRows}
          empty="No member has opened a text yet."
        />
      </DeskSection>
    </>
  );
}
