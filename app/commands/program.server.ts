import { Command, type CommandOptions } from "commander";
import { logToStandardError } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";

type Action = (...parameters: never[]) => Promise<void>;

/**
 * Returns a function that adds a command, which runs the module's export of its name. The module is loaded when one of
 * its commands runs; its log goes to standard error.
 */
function adderTo<Module extends Record<string, unknown>>(
  group: Command,
  load: () => Promise<Module>,
) {
  type Name = keyof Module & string;
  return (usage: Name | `${Name} ${string}`, description: string, options?: CommandOptions) => {
    const command = group.command(usage, options).description(description);
    return command.action(async (...parameters) => {
      logToStandardError();
      const run = (await load())[command.name()] as Action;
      await run(...(parameters as never[]));
    });
  };
}

function addStripeCommands(stripe: Command): void {
  const add = adderTo(stripe, () => import("./stripe-commands.server"));
  add(
    "setup",
    "create or find the price, webhook endpoint and portal at Stripe; print the variables",
  )
    .option("--amount <amount>", "another price of the same product, such as 12.50")
    .option("--currency <code>", "of another price, such as eur")
    .option("--interval <interval>", "of another price: month or year")
    .option("--unarchive", "put the product back on sale, if it was archived")
    .option("--new-webhook-secret", "create another webhook endpoint, if the secret is lost");
  add("sync", "update memberships from Stripe")
    .option("--all", "every member, such as after an outage")
    .option(
      "--after <id>",
      "with --all: resume after this account id, which an interrupted run prints",
    )
    .option(
      "--unlink-unknown",
      "with --all: unlink customers that this Stripe account does not have",
    )
    .option("--from-stripe", "every membership at Stripe, such as after restoring a backup")
    .option("--user <email>", "one member");
  add("give <subscription> <email>", "give a membership that this site did not sell to an account");
  add("adopt", "the site has moved here with its database: go on with it at Stripe").option(
    "--site <id>",
    "the site to continue, if its database is lost",
  );
  add("new-site", "this is a copy of another site: make it one of its own, without members");
  add("doctor", "check everything between a payment and access; changes nothing").option(
    "--after <id>",
    "resume after this account id, which an interrupted run prints",
  );
}

function addNewsletterCommands(newsletter: Command): void {
  const add = adderTo(newsletter, () => import("./newsletter-commands.server"));
  add("preview <file>", "write an issue's mail to files in the outbox");
  add("test <file>", "send an issue only to these addresses").requiredOption(
    "--to <email...>",
    "addresses, on the list or not",
  );
  const addSend = adderTo(newsletter, () => import("./newsletter-send.server"));
  addSend("send <file>", "have the running site send an issue; shows to how many and asks first")
    .option("--to <audience>", "subscribers, or premium: only subscribers who are members")
    .option(
      "--at <time>",
      "send at this time, such as 2026-12-06T08:00 (local) or 2026-12-06T08:00+01:00",
    )
    .option("--rate <number>", "at most this many mails a second")
    .option("--dry-run", "only print what would be sent")
    .option("--yes", "do not ask; required without a terminal");
  add("status [slug]", "show the progress of an issue, or list the latest").option(
    "--watch",
    "keep showing it until it is sent",
  );
  add("pause <slug>", "stop sending an issue until it is resumed");
  add("resume <slug>", "continue a paused issue");
  add("retry <slug>", "send an issue again to addresses that the mail server refused");
  add("cancel <slug>", "cancel the rest of an issue for good").option(
    "--yes",
    "do not ask; required without a terminal",
  );
}

function addSubscriberCommands(subscribers: Command): void {
  const add = adderTo(subscribers, () => import("./subscriber-commands.server"));
  add("list", "show the newest subscribers, with the date and source of their consent")
    .option("--limit <number>", "how many, 20 by default")
    .option("--match <text>", "only addresses that contain this text")
    .option("--unconfirmed", "show unconfirmed addresses instead")
    .option("--suppressed", "show addresses that get no mail after a bounce or complaint instead");
  add("add <email>", "add an address whose owner has agreed to get the newsletter").option(
    "--source <text>",
    "how the owner agreed; asked for if missing",
  );
  add("remove <email>", "delete an address from the list, and keep it out of imports");
  add("stats", "count the list: who is reached, who is not and why, sources of consent");
  add(
    "bounce <file>",
    "stop mail to the addresses in a file (CSV, or one per line); '-' is standard input",
  )
    .option("--complaint", "after complaints: also delete them from the list")
    .option("--lift", "allow mail to them again, unless they complained");
  add("import <file>", "add the addresses in a file (CSV, or one per line); '-' is standard input")
    .option("--source <text>", "where the list comes from, and how its people agreed")
    .option("--dry-run", "only print what would be added and left out");
  add("export", "print the list with status and dates, as CSV");
}

function addMemberCommands(members: Command): void {
  const add = adderTo(members, () => import("./member-commands.server"));
  add("list", "list accounts by address, with their date and membership")
    .option("--limit <number>", "how many, 20 by default")
    .option("--match <text>", "only addresses that contain this text")
    .option("--premium", "only premium members")
    .option("--csv", "all of them, as CSV");
  add("count", "count the accounts: new, confirmed, premium");
  add("show <email>", "show an account and how much data it has");
  add("grant <email>", "give an account a complimentary membership, or end it").requiredOption(
    "--until <date>",
    "its last day, such as 2027-06-30 (UTC); a past day ends it",
  );
  add("reset-link <email>", "print a link to choose a new password, valid for an hour");
  add("sign-out <email>", "end all sessions of an account");
  add("export <email>", "print all data of an account, as JSON");
  add(
    "delete <email>",
    "delete an account and its membership; shows what is deleted and asks first",
  )
    .option("--yes", "do not ask; required without a terminal")
    .option("--anyway", "even if Stripe doesn't end the membership; says what is left there");
}

function addMailCommands(mail: Command): void {
  const add = adderTo(mail, () => import("./mail-commands.server"));
  add("doctor", "check everything between the mail queue and the mail server; changes nothing");
  add("test <email>", "send a mail to this address now, and print the mail server's answer");
  add("status", "show waiting and failed mails, without addresses");
  add("retry", "send failed mails again that have not expired").option(
    "--kind <kind>",
    "only these, such as membership-begun",
  );
}

function addDatabaseCommands(database: Command): void {
  const add = adderTo(database, () => import("./database-commands.server"));
  add(
    "url",
    "print the database's address with its password, for psql and similar programs",
  ).option("--superuser", "of the embedded PostgreSQL's superuser");
  add("psql [parameters...]", "open the database with psql, whether the site runs or not")
    .allowUnknownOption()
    .helpOption(false);
}

function addContentCommands(content: Command): void {
  const add = adderTo(content, () => import("./content-commands.server"));
  add("site", "print a site.yml for the site as it is now");
  add(
    "check [folder]",
    "report every mistake in an edition (default: CONTENT_DIR); changes nothing",
  );
  add("list [folder]", "show which texts are published, and when the others will be");
  add(
    "preview [text]",
    "print addresses at which only you see the texts that are not yet published",
  );
  add("new [title]", "create the file of a new chapter in CONTENT_DIR")
    .option(
      "--page <name>",
      "create a page instead: privacy, imprint, terms, withdrawal or another",
    )
    .option("--extra <kind>", "create an extra instead: audio-walk, notebook-page or practice")
    .option("--publish <date>", "when members first see it, such as 2026-12-01");
  add(
    "import <file-or-folder>",
    "make an edition of a book in Markdown or Word (.docx), if CONTENT_DIR has none",
  ).option("--dry-run", "report what would be imported; change nothing");
  add("copy-sample", "copy the sample edition to CONTENT_DIR");
}

function addBackupCommands(program: Command): void {
  const load = () => import("./backup-commands.server");
  const addToProgram = adderTo(program, load);
  const backup = program.command("backup").description("back up the whole site, running or not");
  const add = adderTo(backup, load);
  add("create [file]", "write a backup to a new file and verify it; '-' is standard output", {
    isDefault: true,
  });
  add("verify <file>", "verify that a backup is complete; changes nothing");
  add("list", "list the backups in BACKUP_DIR and BACKUP_S3_URL, and those made before upgrades");
  addToProgram(
    "restore <file>",
    "restore a backup into an empty database and DATA_DIR, while no site runs",
  ).option("--keep-content", "leave CONTENT_DIR as it is");
  addToProgram(
    "upgrade-database",
    "move the embedded database to this release's PostgreSQL, while no site runs",
  ).option("--binaries <folder>", "folder of the old PostgreSQL's programs, if they are not found");
}

function addStatsCommands(stats: Command): void {
  const add = adderTo(stats, () => import("./stats-commands.server"));
  const months = ["--months <number>", "number of months, 12 by default", "12"] as const;
  add("show", "members, revenue, newsletter and visitors by month, as plots and tables", {
    isDefault: true,
  })
    .option(...months)
    .option("--json", "as JSON");
  add("report <file>", "write these figures to an HTML page with charts").option(...months);
}

function addOperatorCommands(operator: Command): void {
  const add = adderTo(operator, () => import("./operator-commands.server"));
  add("matters", "show open alerts, and what to do")
    .option("--all", "also the latest resolved ones")
    .option("--json", "as JSON");
  add("letter", "print the operator's monthly letter")
    .option("--month <month>", "for this month, such as 2026-10; default: last month")
    .option("--send", "mail it, even if it was mailed before");
  add("test", "send a mail to OPERATOR_EMAIL now, and print the mail server's answer");
}

/** The program's command line. Its commands throw an OperatorError for what the operator can fix. */
export function createProgram(): Command {
  const program = new Command("golden-path").description(
    "Serves and maintains the site of a book.",
  );
  program
    .command("serve", { isDefault: true })
    .description("serve the site until stopped")
    .action(async () => {
      const { serve } = await import("~/server/serve.server");
      await serve();
    });
  program
    .command("demo")
    .description("serve the site with the local Stripe, and print what to try")
    .action(async () => {
      const { serve } = await import("~/server/serve.server");
      const { printDemo } = await import("./demo.server");
      await serve({ variables: { PAYMENTS: "sandbox" }, onReady: printDemo });
    });
  const addDoctor = adderTo(program, () => import("./doctor-command.server"));
  addDoctor(
    "doctor",
    "check everything the site depends on, and say what to do; changes nothing",
  ).option("--json", "as JSON");
  addStripeCommands(program.command("stripe").description("manage payments"));
  addNewsletterCommands(program.command("newsletter").description("send issues"));
  addMemberCommands(program.command("members").description("manage accounts"));
  addSubscriberCommands(program.command("subscribers").description("manage the newsletter's list"));
  addContentCommands(program.command("content").description("check and extend the edition"));
  addBackupCommands(program);
  addMailCommands(program.command("mail").description("check mail, and send failed mails again"));
  addOperatorCommands(
    program.command("operator").description("see what is mailed to OPERATOR_EMAIL"),
  );
  addDatabaseCommands(program.command("db").description("open the database"));
  addStatsCommands(program.command("stats").description("figures by month"));
  return program;
}

/** Runs the program. A command whose reader has gone, as with `| head`, goes on without it. */
export async function runProgram(argv: string[]): Promise<void> {
  for (const output of [process.stdout, process.stderr]) output.on("error", ignoreGoneReader);
  await createProgram().parseAsync(argv);
}

/**
 * Prints an OperatorError of `run` on standard error, and ends the process with status 1. Any other error is a bug and
 * keeps its stack trace.
 */
export async function endAtOperatorErrors(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    // a half-started database or server would keep the process alive
    setImmediate(() => process.exit());
  }
}

function ignoreGoneReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
