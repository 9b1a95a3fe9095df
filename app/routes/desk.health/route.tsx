import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { resolveByHand } from "~/features/desk/alerts.server";
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
import { DESK_PATH } from "~/features/desk/desk-paths";
import { makeBackup, readHealth, testMail, verifyKept } from "~/features/desk/health.server";
import type { Work } from "~/features/desk/work.server";
import { doneAt, refuse, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { ButtonLink, UtcTime } from "~/ui";

export const meta = deskMeta("Health");

// the doctor and a slow bucket keep no other page waiting
export const handle: RouteHandle = { inTurn: false };

const PATH = "/desk/health";

// a backup that was refused in one place may be in another
export const shouldRevalidate = () => true;

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
  const works: Record<string, () => Promise<Work>> = {
    backup: () => makeBackup(author),
    verify: () => verifyKept(Number(textOf(fields.place)), textOf(fields.name)),
    "mail-test": () => testMail(author),
    resolve: () => resolveByHand(textOf(fields.alert), author),
  };
  const start = Object.hasOwn(works, intent) ? works[intent] : undefined;
  if (!start) return refuse({ message: "Please use a button of this page." }, 400);
  const { state, text } = await start();
  if (state === "refused") return refuse({ message: text });
  if (state === "running") return doneAt(PATH, "It has begun", "This page says when it is done.");
  return doneAt(intent === "resolve" ? DESK_PATH : PATH, "Done", text);
}

export default function Health() {
  const { works, findings, kept, problems, hasPlace, versions, settings } =
    useLoaderData<typeof loader>();
  const refusal = useActionData<typeof action>()?.refusal;
  const isLoading = useNavigation().state === "loading";
  return (
    <>
      <DeskHeading title="Health">
        <div className="desk-actions">
          <DeskButton action={PATH} fields={{ intent: "mail-test" }}>
            Send me a test mail
          </DeskButton>
          <DeskButton action={PATH} fields={{ intent: "backup" }}>
            Make a backup
          </DeskButton>
          <ButtonLink to="?doctor" variant="secondary" className="button-compact">
            {isLoading ? "Wait …" : "Run the doctor"}
          </ButtonLink>
        </div>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      {works.map(({ title, startedAt, state, text }) => (
        <p key={title} className="desk-notice" role="status">
          {title}: {state === "running" ? "it goes on. Reload this page to see its end." : text}{" "}
          <UtcTime at={startedAt} />
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
        {problems.map((problem) => (
          <p key={problem} className="desk-problems">
            {problem}
          </p>
        ))}
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
              <DeskButton
                key="verify"
                action={PATH}
                fields={{ intent: "verify", place: String(place), name }}
              >
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
        <DeskFacts facts={settings} />
      </DeskSection>
    </>
  );
}
