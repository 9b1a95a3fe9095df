import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { resolveAlert } from "~/features/desk/alerts.server";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import {
  DeskButton,
  DeskFacts,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskTable,
} from "~/features/desk/desk-parts";
import { makeBackup, readHealth, testMail, verifyKept } from "~/features/desk/health.server";
import { doneAt, refuse, textOf } from "~/http/page-answer.server";
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
  const { fields } = await readForm(args.request);
  const intent = textOf(fields.intent);
  if (intent === "backup") await requireAuthor(args, "sensitive", PATH);
  const works: Record<string, () => ReturnType<typeof makeBackup>> = {
    backup: () => makeBackup(author),
    verify: () => verifyKept(Number(textOf(fields.place)), textOf(fields.name)),
    "mail-test": () => testMail(author),
    resolve: () => resolveAlert(textOf(fields.alert), author),
  };
  const work = Object.hasOwn(works, intent) ? works[intent] : undefined;
  if (!work) return refuse({ message: "Please use a button of this page." }, 400);
  const outcome = await work();
  if (!outcome) return doneAt(PATH, "It has begun", "This page says when it is done.");
  if (!outcome.isDone) return refuse({ message: outcome.text });
  return doneAt(intent === "resolve" ? "/desk" : PATH, "Done", outcome.text);
}

export default function Health() {
  const { works, findings, backups, hasPlace, versions, settings } = useLoaderData<typeof loader>();
  const refusal = useActionData<typeof action>()?.refusal;
  const isLoading = useNavigation().state === "loading";
  return (
    <>
      <DeskHeading title="Health">
        <DeskButton fields={{ intent: "mail-test" }}>Send me a test mail</DeskButton>
        <DeskButton fields={{ intent: "backup" }}>Make a backup</DeskButton>
        <ButtonLink to="?doctor" variant="secondary" className="button-compact">
          {isLoading ? "Wait …" : "Run the doctor"}
        </ButtonLink>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      {works.map(({ title, startedAt, outcome }) => (
        <p key={title} className="desk-notice" role="status">
          {title}: {outcome?.text ?? "it goes on. Reload this page to see whether it is done."}{" "}
          <UtcTime at={startedAt} />
        </p>
      ))}
      <DeskSection title="Doctor">
        {findings ? (
          <DeskTable
            caption="Findings"
            columns={["", "Checked", "Found", "What to do"]}
            rows={findings.map(({ area, what, level, found, advice }, index) => ({
              key: String(index),
              cells: [level, what === area ? area : `${area}: ${what}`, found, advice],
            }))}
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
        {backups.map(({ label, problem, backups: kept }) => (
          <div key={label} className="desk-place">
            <h3>{label}</h3>
            {problem && <p className="desk-problems">It can’t be listed: {problem}</p>}
            <DeskTable
              caption={`Backups in ${label}`}
              columns={["Made", "Name", "Size", ""]}
              rows={kept.map(({ place, name, size, time }) => ({
                key: name,
                cells: [
                  <UtcTime key={time} at={time} />,
                  name,
                  size,
                  <span key={name} className="desk-actions">
                    <a href={`${PATH}/backups/${place}/${name}`}>Download</a>
                    <DeskButton fields={{ intent: "verify", place: String(place), name }}>
                      Verify
                    </DeskButton>
                  </span>,
                ],
              }))}
              empty="There is none yet."
            />
          </div>
        ))}
      </DeskSection>
      <DeskSection title="Versions">
        <DeskFacts facts={versions} />
      </DeskSection>
      <DeskSection title="Settings">
        <p className="desk-hint">As the program sees them. Secrets are shown as set or not.</p>
        <DeskFacts
          facts={settings.map(({ name, isSet, value }) => {
            const own = isSet ? (value ?? "set") : null;
            return [name, own ?? (value === null ? "not set" : `${value} (default)`)];
          })}
        />
      </DeskSection>
    </>
  );
}
