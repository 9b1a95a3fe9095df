import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskButton, DeskHeading, DeskSection, DeskTable } from "~/features/desk/desk-parts";
import { sentPath } from "~/features/desk/letters/letter-paths";
import { readToday } from "~/features/desk/today.server";
import { formatCount } from "~/features/newsletter/format-count";
import { StatisticsView } from "~/features/statistics/statistics-view";
import type { RouteHandle } from "~/http/route-handle";
import { UtcTime } from "~/ui";

export const meta = deskMeta("Today");

// figures that are being counted keep no other page waiting
export const handle: RouteHandle = { inTurn: false };

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return readToday();
}

export default function Today() {
  const { statistics, alerts, lastLetter, scheduled } = useLoaderData<typeof loader>();
  return (
    <>
      <DeskHeading title="Today" />
      {statistics ? (
        <div className="desk-charts desk-small-charts">
          <StatisticsView statistics={statistics} isShort />
        </div>
      ) : (
        <p className="desk-empty">The figures are being counted. Reload this page in a minute.</p>
      )}
      <DeskSection title="What needs a hand">
        {alerts.length === 0 && <p className="desk-empty">Nothing does.</p>}
        {alerts.map(({ id, kind, title, wrong, means, todo, since, commands, button }) => (
          <article key={id} className="desk-alert" aria-labelledby={id}>
            <h3 id={id}>{title}</h3>
            <p>
              {wrong} {means}
            </p>
            <p>{todo}</p>
            <p className="desk-hint">
              Since <UtcTime at={since} />.
              {commands.length > 0 && ` In a terminal: ${commands.join("; ")}`}
            </p>
            {button && (
              <DeskButton fields={{ intent: "resolve", alert: id }} action="/desk/health">
                {button}
              </DeskButton>
            )}
            {kind === "backup-late" && <Link to="/desk/health">Make a backup</Link>}
          </article>
        ))}
      </DeskSection>
      <DeskSection title="Last letter">
        {lastLetter ? (
          <p>
            <Link to={sentPath(lastLetter.slug)}>{lastLetter.subject}</Link>: {lastLetter.phase},{" "}
            {formatCount(lastLetter.sent)} of {formatCount(lastLetter.total)} sent,{" "}
            {formatCount(lastLetter.failed)} failed. <UtcTime at={lastLetter.startAt} />
          </p>
        ) : (
          <p className="desk-empty">No letter has been sent yet.</p>
        )}
      </DeskSection>
      <DeskSection title="Scheduled">
        <DeskTable
          caption="What comes out later"
          columns={["Title", "What", "When"]}
          rows={scheduled.map(({ what, title, path, at }) => ({
            key: path + at + title,
            cells: [
              <Link key="title" to={path}>
                {title}
              </Link>,
              what,
              <UtcTime key="at" at={at} />,
            ],
          }))}
          empty="No letter or text is due later."
        />
      </DeskSection>
    </>
  );
}
