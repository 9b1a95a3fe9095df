import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { resolveByHand } from "~/features/desk/alerts.server";
import { type Author, requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  DeskButton,
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskTable,
} from "~/features/desk/desk-parts";
import { DESK_PATH } from "~/features/desk/desk-paths";
import { makeBackup, readHealth, testMail, verifyKept } from "~/features/desk/health.server";
import type { Work } from "~/features/desk/work.server";
import { doneAt, found, textsOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { ButtonLink, UtcTime } from "~/ui";

export const meta = deskMeta("Health");

// the doctor and a slow bucket keep no other page waiting
export const handle: RouteHandle = { inTurn: false };

const PATH = "/desk/health";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const { searchParams } = new URL(args.request.url);
  return readHealth({ withDoctor: searchParams.has("doctor") });
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const typed = textsOf((await readForm(args.request)).fields);
  if (typed.intent === "backup") await requireAuthor(args, "sensitive", PATH);
  const start = found(WORKS.get(typed.intent ?? "") ?? null);
  const { title, text } = await start(author, typed);
  return doneAt(typed.intent === "resolve" ? DESK_PATH : PATH, title, text);
}

/** What a form of the page begins, by its intent. */
const WORKS = new Map<string, (author: Author, typed: Record<string, string>) => Promise<Work>>([
  ["backup", makeBackup],
  ["verify", (_, { place, name }) => verifyKept(place, name)],
  ["mail-test", testMail],
  ["resolve", (author, { alert }) => resolveByHand(author, alert)],
]);

export default function Health() {
  const { works, findings, kept, problems, hasPlace, versions, settings } =
    useLoaderData<typeof loader>();
  const isLoading = useNavigation().state === "loading";
  return (
    <>
      <DeskHeading title="Health">
        <div className="desk-actions">
          <DeskButton fields={{ intent: "mail-test" }}>Send me a test mail</DeskButton>
          <DeskButton fields={{ intent: "backup" }}>Make a backup</DeskButton>
          <ButtonLink to="?doctor" variant="secondary" className="button-compact">
            {isLoading ? "Wait …" : "Run the doctor"}
          </ButtonLink>
        </div>
      </DeskHeading>
      {works.map(({ title, startedAt, text }) => (
        <p key={title} className="desk-notice" role="status">
          {title}: {text} <UtcTime at={startedAt} />
        </p>
      ))}
      <DeskSection title="Doctor">
        {findings ? (
          <DeskTable
            caption="Findings"
            columns={["Result", "Checked", "Found", "What to do"]}
            rows={findings.map((cells, index) => ({ key: String(index), cells }))}
            empty=""
          />
        ) : (
          <p className="desk-hint">
            It checks mail, payments, disk, database, addresses, backups and the book. It takes up
            to half a minute and changes nothing.
          </p>
        )}
      </DeskSection>
      <DeskSection title="Backups">
        {!hasPlace && (
          <p className="desk-hint">
            None are made by themselves: set BACKUP_DIR or BACKUP_S3_URL, and BACKUP_EVERY=1d. Until
            then one made here stays on the site’s own disk, in place of the last one made here:
            download it.
          </p>
        )}
        {problems.length > 0 && <DeskProblems refusal={{ message: problems.join(" ") }} />}
        <DeskTable
          caption="Kept backups"
          columns={["Made", "Name", "Size", "Place", "Check"]}
          rows={kept.map(({ place, label, name, size, time }) => ({
            key: label + name,
            cells: [
              <UtcTime key="time" at={time} />,
              <a key="link" href={`${PATH}/backups/${place}/${name}`}>
                {name}
              </a>,
              size,
              label,
              <DeskButton key="verify" fields={{ intent: "verify", place: String(place), name }}>
                Verify
              </DeskButton>,
            ],
          }))}
          empty="There is none yet."
        />
      </DeskSection>
      <DeskSection title="Versions">
        <DeskFacts facts={versions} />
      </DeskSection>
      <DeskSection title="Settings">
        <p className="desk-hint">As the program sees them. Secrets are shown as set or not.</p>
        <div className="desk-settings">
          <DeskFacts facts={settings} />
        </div>
      </DeskSection>
    </>
  );
}
