import { Command } from "commander";
import { BOOK_TITLE } from "~/book";
import type { SetupOptions } from "~/features/billing/stripe-setup.server";
import { logToStandardError } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import type { RestoreOptions } from "./backup-commands.server";
import type { NewOptions } from "./content-commands.server";
import type { DoctorOptions } from "./doctor-command.server";
import type { ListOptions as MemberListOptions } from "./member-commands.server";
import type { SendCommandOptions } from "./newsletter-send.server";
import type { LetterOptions, MattersOptions } from "./operator-commands.server";
import type { StatsOptions } from "./stats-commands.server";
import type { SyncOptions } from "./stripe-commands.server";
import type { BounceOptions, ListOptions } from "./subscriber-commands.server";

function addStripeCommands(stripe: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./stripe-commands.server");
  };
  stripe
    .command("setup")
    .description(
      "create or find the price, webhook endpoint and portal at Stripe; print the variables",
    )
    .option("--amount <amount>", "another price of the same product, such as 12.50")
    .option("--currency <code>", "of another price, such as eur")
    .option("--interval <interval>", "of another price: month or year")
    .option("--new-webhook-secret", "create another webhook endpoint, if the secret is lost")
    .action(async (options: SetupOptions) => (await commands()).setup(options));
  stripe
    .command("sync")
    .description("update members' rows from Stripe")
    .option("--all", "every member, as after an outage")
    .option(
      "--after <id>",
      "with --all: resume after this account id, as printed by an interrupted run",
    )
    .option(
      "--unlink-unknown",
      "with --all: unlink customers that this Stripe account does not have",
    )
    .option("--from-stripe", "every membership at Stripe, as after restoring a backup")
    .option("--user <e-mail>", "one member")
    .action(async (options: SyncOptions) => (await commands()).sync(options));
  stripe
    .command("doctor")
    .description("check everything between a payment and access; changes nothing")
    .option("--after <id>", "only members after this account id, as printed by an interrupted run")
    .action(async (options: { after?: string }) => (await commands()).doctor(options));
}

function addNewsletterCommands(newsletter: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./newsletter-commands.server");
  };
  newsletter
    .command("preview <file>")
    .description("write an issue's mail into files of the outbox; needs no running site")
    .action(async (file: string) => (await commands()).preview(file));
  newsletter
    .command("test <file>")
    .description("send an issue to these addresses alone")
    .requiredOption("--to <e-mail...>", "who gets it, whether on the list or not")
    .action(async (file: string, options: { to: string[] }) =>
      (await commands()).test(file, options),
    );
  newsletter
    .command("send <file>")
    .description("send an issue, after saying to how many and asking; the running site sends it")
    .option("--to <audience>", "subscribers, or premium for those of them who are members")
    .option("--at <time>", "when, as in 2026-12-06T08:00 (local) or 2026-12-06T08:00+01:00")
    .option("--rate <number>", "at most this many mails a second")
    .option("--dry-run", "only say what would be sent")
    .option("--yes", "do not ask; required without a terminal")
    .action(async (file: string, options: SendCommandOptions) => {
      logToStandardError();
      const { send } = await import("./newsletter-send.server");
      await send(file, options);
    });
  newsletter
    .command("status [slug]")
    .description("show how far an issue is, or list the last ones")
    .option("--watch", "go on showing it until it is sent")
    .action(async (slug: string | undefined, options: { watch?: boolean }) =>
      (await commands()).status(slug, options),
    );
  newsletter
    .command("pause <slug>")
    .description("stop sending an issue until it is resumed")
    .action(async (slug: string) => (await commands()).pauseIssue(slug));
  newsletter
    .command("resume <slug>")
    .description("go on sending a paused issue")
    .action(async (slug: string) => (await commands()).resumeIssue(slug));
  newsletter
    .command("retry <slug>")
    .description("send an issue again to those whose mail the mail server refused")
    .action(async (slug: string) => (await commands()).retryIssue(slug));
  newsletter
    .command("cancel <slug>")
    .description("give up for good what of an issue is not sent yet")
    .option("--yes", "do not ask; required without a terminal")
    .action(async (slug: string, options: { yes?: boolean }) =>
      (await commands()).cancelIssue(slug, options),
    );
}

function addSubscriberCommands(subscribers: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./subscriber-commands.server");
  };
  subscribers
    .command("list")
    .description("show the newest subscribers, when they joined and where their consent comes from")
    .option("--limit <number>", "how many, 20 by default")
    .option("--match <text>", "only addresses that contain this text")
    .option("--unconfirmed", "those who have not confirmed their address instead")
    .option("--suppressed", "those who get no mail, because of a bounce or complaint, instead")
    .action(async (options: ListOptions) => (await commands()).list(options));
  subscribers
    .command("add <e-mail>")
    .description("add an address whose owner has agreed to get the newsletter")
    .option("--source <text>", "how its owner agreed; asked for if it is missing")
    .action(async (email: string, options: { source?: string }) =>
      (await commands()).add(email, options),
    );
  subscribers
    .command("remove <e-mail>")
    .description("delete an address from the list")
    .action(async (email: string) => (await commands()).remove(email));
  subscribers
    .command("stats")
    .description("count the list: who is reached, who is not and why, where consent comes from")
    .action(async () => (await commands()).stats());
  subscribers
    .command("bounce <file>")
    .description("send no more mail to the addresses in a file, which may be CSV or one per line")
    .option("--complaint", "their owners complained: also delete them from the list")
    .option("--lift", "send mail to them again, unless their owners complained")
    .action(async (file: string, options: BounceOptions) =>
      (await commands()).bounce(file, options),
    );
  subscribers
    .command("import <file>")
    .description("add the addresses in a file, which may be CSV or one per line")
    .option("--source <text>", "where the list comes from, and how its people agreed")
    .action(async (file: string, options: { source?: string }) =>
      (await commands()).importFile(file, options),
    );
  subscribers
    .command("export")
    .description("write the addresses that get the newsletter to standard output, as CSV")
    .action(async () => (await commands()).exportList());
}

function addMemberCommands(members: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./member-commands.server");
  };
  members
    .command("list")
    .description("show accounts by address, since when they exist and whether they are premium")
    .option("--limit <number>", "how many, 20 by default")
    .option("--match <text>", "only addresses that contain this text")
    .option("--premium", "only premium members")
    .action(async (options: MemberListOptions) => (await commands()).list(options));
  members
    .command("count")
    .description("count the accounts: new, confirmed, premium")
    .action(async () => (await commands()).countAll());
  members
    .command("show <e-mail>")
    .description("show what an account is, and how much of each thing it has")
    .action(async (email: string) => (await commands()).show(email));
  members
    .command("reset-link <e-mail>")
    .description("print a link to choose a new password, valid for an hour, to read out")
    .action(async (email: string) => (await commands()).resetLink(email));
  members
    .command("sign-out <e-mail>")
    .description("end all sessions of an account")
    .action(async (email: string) => (await commands()).signOut(email));
  members
    .command("export <e-mail>")
    .description("write everything that is held about an account to standard output, as JSON")
    .action(async (email: string) => (await commands()).exportMember(email));
  members
    .command("delete <e-mail>")
    .description("delete an account and its membership, after saying what goes and asking")
    .option("--yes", "do not ask; required without a terminal")
    .action(async (email: string, options: { yes?: boolean }) =>
      (await commands()).deleteMember(email, options),
    );
}

function addMailCommands(mail: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./mail-commands.server");
  };
  mail
    .command("doctor")
    .description("check everything between a queued mail and the mail server; changes nothing")
    .action(async () => (await commands()).doctor());
  mail
    .command("test <e-mail>")
    .description("send a mail to this address now, and print the mail server's answer")
    .action(async (email: string) => (await commands()).test(email));
  mail
    .command("status")
    .description("show what waits to be sent and what failed, without addresses")
    .action(async () => (await commands()).status());
  mail
    .command("retry")
    .description(
      "send failed mails again that are still worth it, such as notices of the last days",
    )
    .option("--kind <kind>", "only these, such as membership-begun")
    .action(async (options: { kind?: string }) => (await commands()).retry(options));
}

function addDatabaseCommands(database: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./database-commands.server");
  };
  database
    .command("url")
    .description("print the database's address, with its password, for psql and its like")
    .option("--superuser", "for the embedded PostgreSQL's superuser")
    .action(async (options: { superuser?: boolean }) => (await commands()).url(options));
  database
    .command("psql [parameters...]")
    .description("open the database with psql, also while the site does not run")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (parameters: string[]) => (await commands()).psql(parameters));
}

function addContentCommands(content: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./content-commands.server");
  };
  content
    .command("check [folder]")
    .description("name every mistake in an edition, CONTENT_DIR's by default; changes nothing")
    .action(async (folder: string | undefined) => (await commands()).check(folder));
  content
    .command("list [folder]")
    .description("show what of an edition is out, and what comes when")
    .action(async (folder: string | undefined) => (await commands()).list(folder));
  content
    .command("new <title>")
    .description("lay the file of a new chapter in CONTENT_DIR")
    .option("--extra <kind>", "an extra instead: audio-walk, notebook-page or practice")
    .option("--publish <date>", "from when members see it, as in 2026-12-01")
    .action(async (title: string, options: NewOptions) =>
      (await commands()).createText(title, options),
    );
  content
    .command("copy-sample")
    .description("copy the sample edition to CONTENT_DIR, to begin with")
    .action(async () => (await commands()).copySample());
}

function addBackupCommands(program: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./backup-commands.server");
  };
  const backup = program
    .command("backup")
    .description("back up the whole site, which may be running, and verify the backup");
  backup
    .command("create [file]", { isDefault: true })
    .description("write a backup to a new file, or to standard output if it is '-'")
    .action(async (file: string | undefined) => (await commands()).create(file));
  backup
    .command("verify <file>")
    .description("read a backup and verify that it is whole; changes nothing")
    .action(async (file: string) => (await commands()).verify(file));
  backup
    .command("list")
    .description("show the backups in BACKUP_DIR and BACKUP_S3_URL, and those made before upgrades")
    .action(async () => (await commands()).list());
  program
    .command("restore <file>")
    .description("fill an empty database and DATA_DIR from a backup, while no site runs")
    .option("--keep-content", "leave CONTENT_DIR as it is")
    .action(async (file: string, options: RestoreOptions) =>
      (await commands()).restore(file, options),
    );
}

function addUpgradeCommand(program: Command): void {
  program
    .command("upgrade-database")
    .description("move the embedded database to this release's PostgreSQL, while no site runs")
    .option("--binaries <folder>", "where the programs of the old PostgreSQL are, if not found")
    .action(async (options: { binaries?: string }) => {
      logToStandardError();
      const { upgradeDatabase } = await import("./upgrade-commands.server");
      await upgradeDatabase(options);
    });
}

function addStatsCommands(stats: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./stats-commands.server");
  };
  const months = ["--months <number>", "so many months back", "12"] as const;
  stats
    .command("show", { isDefault: true })
    .description("members, revenue, newsletter and visitors by month, as plots and tables")
    .option(...months)
    .option("--json", "as JSON")
    .action(async (options: StatsOptions) => (await commands()).show(options));
  stats
    .command("report <file>")
    .description("write the same as a page with charts, to open in a browser")
    .option(...months)
    .action(async (file: string, options: StatsOptions) =>
      (await commands()).report(file, options),
    );
}

function addOperatorCommands(operator: Command): void {
  const commands = () => {
    logToStandardError();
    return import("./operator-commands.server");
  };
  operator
    .command("matters")
    .description("show what needs a hand, and what to do about it")
    .option("--all", "also the last ones that are over")
    .option("--json", "as JSON")
    .action(async (options: MattersOptions) => (await commands()).matters(options));
  operator
    .command("letter")
    .description("print the monthly letter to OPERATOR_EMAIL")
    .option("--month <month>", "about this month, such as 2026-10, instead of the last one")
    .option("--send", "mail it instead, also if it was mailed before")
    .action(async (options: LetterOptions) => (await commands()).letter(options));
  operator
    .command("test")
    .description("send a mail to OPERATOR_EMAIL now, and print the mail server's answer")
    .action(async () => (await commands()).test());
}

/** The program's command line. Its commands throw an OperatorError for what the operator can fix. */
export function createProgram(): Command {
  const program = new Command("golden-path").description(
    `The site of the book '${BOOK_TITLE}': serves and maintains it.`,
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
    .description("serve the site with the local Stripe sandbox, and print what to try")
    .action(async () => {
      const { serve } = await import("~/server/serve.server");
      const { printDemo } = await import("./demo.server");
      await serve({ variables: { PAYMENTS: "sandbox" }, onReady: printDemo });
    });
  program
    .command("doctor")
    .description("check everything the site depends on, and say what to do; changes nothing")
    .option("--json", "as JSON")
    .action(async (options: DoctorOptions) => {
      logToStandardError();
      const { doctor } = await import("./doctor-command.server");
      await doctor(options);
    });
  addStripeCommands(program.command("stripe").description("manage payments"));
  addNewsletterCommands(program.command("newsletter").description("write to the subscribers"));
  addMemberCommands(program.command("members").description("look after accounts"));
  addSubscriberCommands(program.command("subscribers").description("manage the newsletter's list"));
  addContentCommands(program.command("content").description("examine and extend the edition"));
  addBackupCommands(program);
  addUpgradeCommand(program);
  addMailCommands(program.command("mail").description("examine mail, and send what failed again"));
  addOperatorCommands(
    program.command("operator").description("see what OPERATOR_EMAIL is told about"),
  );
  addDatabaseCommands(program.command("db").description("look into the database"));
  addStatsCommands(program.command("stats").description("count what has become of the site"));
  return program;
}

/**
 * Runs the program. An OperatorError is printed on standard error and ends the process with status 1; any other
 * error is a bug and keeps its stack trace. A command whose reader has gone, as with `| head`, goes on without it.
 */
export async function runProgram(argv: string[]): Promise<void> {
  for (const output of [process.stdout, process.stderr]) output.on("error", ignoreGoneReader);
  try {
    await createProgram().parseAsync(argv);
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
