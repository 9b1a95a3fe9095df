import { Command } from "commander";
import { logToStandardError } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";

/** Turns a module's functions into commands. The module is loaded when one runs; its log goes to standard error. */
function runner<Module>(load: () => Promise<Module>) {
  return <Arguments extends unknown[]>(
    pick: (module: Module) => (...parameters: Arguments) => Promise<void>,
  ) =>
    async (...parameters: Arguments): Promise<void> => {
      logToStandardError();
      const run = pick(await load());
      await run(...parameters);
    };
}

function addStripeCommands(stripe: Command): void {
  const run = runner(() => import("./stripe-commands.server"));
  stripe
    .command("setup")
    .description(
      "create or find the price, webhook endpoint and portal at Stripe; print the variables",
    )
    .option("--amount <amount>", "another price of the same product, such as 12.50")
    .option("--currency <code>", "of another price, such as eur")
    .option("--interval <interval>", "of another price: month or year")
    .option("--unarchive", "put the product back on sale, if it was archived")
    .option("--new-webhook-secret", "create another webhook endpoint, if the secret is lost")
    .action(run(({ setup }) => setup));
  stripe
    .command("sync")
    .description("update memberships from Stripe")
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
    .option("--user <e-mail>", "one member")
    .action(run(({ sync }) => sync));
  stripe
    .command("give <subscription> <e-mail>")
    .description("give a membership that this site did not sell to an account")
    .action(run(({ give }) => give));
  stripe
    .command("adopt")
    .description("the site has moved here with its database: go on with it at Stripe")
    .option("--site <id>", "the site to continue, if its database is lost")
    .action(run(({ adopt }) => adopt));
  stripe
    .command("new-site")
    .description("this is a copy of another site: make it one of its own, without members")
    .action(run(({ newSite }) => newSite));
  stripe
    .command("doctor")
    .description("check everything between a payment and access; changes nothing")
    .option("--after <id>", "resume after this account id, which an interrupted run prints")
    .action(run(({ doctor }) => doctor));
}

function addNewsletterCommands(newsletter: Command): void {
  const run = runner(() => import("./newsletter-commands.server"));
  newsletter
    .command("preview <file>")
    .description("write an issue's mail to files in the outbox")
    .action(run(({ preview }) => preview));
  newsletter
    .command("test <file>")
    .description("send an issue only to the given addresses")
    .requiredOption("--to <e-mail...>", "addresses, on the list or not")
    .action(run(({ test }) => test));
  newsletter
    .command("send <file>")
    .description("let the running site send an issue; shows to how many and asks first")
    .option("--to <audience>", "subscribers, or premium: only subscribers who are members")
    .option(
      "--at <time>",
      "send at this time, such as 2026-12-06T08:00 (local) or 2026-12-06T08:00+01:00",
    )
    .option("--rate <number>", "at most this many mails a second")
    .option("--dry-run", "only print what would be sent")
    .option("--yes", "do not ask; required without a terminal")
    .action(runner(() => import("./newsletter-send.server"))(({ send }) => send));
  newsletter
    .command("status [slug]")
    .description("show the progress of an issue, or list the latest")
    .option("--watch", "keep showing it until it is sent")
    .action(run(({ status }) => status));
  newsletter
    .command("pause <slug>")
    .description("stop sending an issue until it is resumed")
    .action(run(({ pauseIssue }) => pauseIssue));
  newsletter
    .command("resume <slug>")
    .description("continue a paused issue")
    .action(run(({ resumeIssue }) => resumeIssue));
  newsletter
    .command("retry <slug>")
    .description("send an issue again to addresses that the mail server refused")
    .action(run(({ retryIssue }) => retryIssue));
  newsletter
    .command("cancel <slug>")
    .description("cancel the rest of an issue for good")
    .option("--yes", "do not ask; required without a terminal")
    .action(run(({ cancelIssue }) => cancelIssue));
}

function addSubscriberCommands(subscribers: Command): void {
  const run = runner(() => import("./subscriber-commands.server"));
  subscribers
    .command("list")
    .description("show the newest subscribers, with the date and source of their consent")
    .option("--limit <number>", "how many, 20 by default")
    .option("--match <text>", "only addresses that contain this text")
    .option("--unconfirmed", "show unconfirmed addresses instead")
    .option("--suppressed", "show addresses that get no mail after a bounce or complaint instead")
    .action(run(({ list }) => list));
  subscribers
    .command("add <e-mail>")
    .description("add an address whose owner has agreed to get the newsletter")
    .option("--source <text>", "how the owner agreed; asked for if missing")
    .action(run(({ add }) => add));
  subscribers
    .command("remove <e-mail>")
    .description("delete an address from the list, and keep it out of imports")
    .action(run(({ remove }) => remove));
  subscribers
    .command("stats")
    .description("count the list: who is reached, who is not and why, sources of consent")
    .action(run(({ stats }) => stats));
  subscribers
    .command("bounce <file>")
    .description(
      "stop mail to the addresses in a file (CSV, or one per line); '-' is standard input",
    )
    .option("--complaint", "after complaints: also delete them from the list")
    .option("--lift", "allow mail to them again, unless they complained")
    .action(run(({ bounce }) => bounce));
  subscribers
    .command("import <file>")
    .description("add the addresses in a file (CSV, or one per line); '-' is standard input")
    .option("--source <text>", "where the list comes from, and how its people agreed")
    .option("--dry-run", "only print what would be added and left out")
    .action(run(({ importFile }) => importFile));
  subscribers
    .command("export")
    .description("print the list with status and dates, as CSV")
    .action(run(({ exportList }) => exportList));
}

function addMemberCommands(members: Command): void {
  const run = runner(() => import("./member-commands.server"));
  members
    .command("list")
    .description("list accounts by address, with their date and membership")
    .option("--limit <number>", "how many, 20 by default")
    .option("--match <text>", "only addresses that contain this text")
    .option("--premium", "only premium members")
    .option("--csv", "all of them, as CSV")
    .action(run(({ list }) => list));
  members
    .command("count")
    .description("count the accounts: new, confirmed, premium")
    .action(run(({ countAll }) => countAll));
  members
    .command("show <e-mail>")
    .description("show an account and how much data it has")
    .action(run(({ show }) => show));
  members
    .command("reset-link <e-mail>")
    .description("print a link to choose a new password, valid for an hour")
    .action(run(({ resetLink }) => resetLink));
  members
    .command("sign-out <e-mail>")
    .description("end all sessions of an account")
    .action(run(({ signOut }) => signOut));
  members
    .command("export <e-mail>")
    .description("print all data of an account, as JSON")
    .action(run(({ exportMember }) => exportMember));
  members
    .command("delete <e-mail>")
    .description("delete an account and its membership; shows what goes and asks first")
    .option("--yes", "do not ask; required without a terminal")
    .action(run(({ deleteMember }) => deleteMember));
}

function addMailCommands(mail: Command): void {
  const run = runner(() => import("./mail-commands.server"));
  mail
    .command("doctor")
    .description("check everything between the mail queue and the mail server; changes nothing")
    .action(run(({ doctor }) => doctor));
  mail
    .command("test <e-mail>")
    .description("send a mail to this address now, and print the mail server's answer")
    .action(run(({ test }) => test));
  mail
    .command("status")
    .description("show waiting and failed mails, without addresses")
    .action(run(({ status }) => status));
  mail
    .command("retry")
    .description("send failed mails again that have not expired")
    .option("--kind <kind>", "only these, such as membership-begun")
    .action(run(({ retry }) => retry));
}

function addDatabaseCommands(database: Command): void {
  const run = runner(() => import("./database-commands.server"));
  database
    .command("url")
    .description("print the database's address with its password, for psql and similar programs")
    .option("--superuser", "of the embedded PostgreSQL's superuser")
    .action(run(({ url }) => url));
  database
    .command("psql [parameters...]")
    .description("open the database with psql, whether the site runs or not")
    .allowUnknownOption()
    .helpOption(false)
    .action(run(({ psql }) => psql));
}

function addContentCommands(content: Command): void {
  const run = runner(() => import("./content-commands.server"));
  content
    .command("site")
    .description("print the site.yml that equals the site as it is now")
    .action(run(({ printSite }) => printSite));
  content
    .command("check [folder]")
    .description("report every mistake in an edition (default: CONTENT_DIR); changes nothing")
    .action(run(({ check }) => check));
  content
    .command("list [folder]")
    .description("show which texts are published, and when the others will be")
    .action(run(({ list }) => list));
  content
    .command("preview [text]")
    .description("print addresses at which only you see the texts that are not yet published")
    .action(run(({ preview }) => preview));
  content
    .command("new [title]")
    .description("create the file of a new chapter in CONTENT_DIR")
    .option(
      "--page <name>",
      "create a page instead: privacy, imprint, terms, withdrawal or another",
    )
    .option("--extra <kind>", "create an extra instead: audio-walk, notebook-page or practice")
    .option("--publish <date>", "when members first see it, such as 2026-12-01")
    .action(run(({ createText }) => createText));
  content
    .command("import <file-or-folder>")
    .description("make an edition of a book in Markdown or Word (.docx), if CONTENT_DIR has none")
    .option("--dry-run", "report what would be imported; change nothing")
    .action(run(({ importText }) => importText));
  content
    .command("copy-sample")
    .description("copy the sample edition to CONTENT_DIR")
    .action(run(({ copySample }) => copySample));
}

function addBackupCommands(program: Command): void {
  const run = runner(() => import("./backup-commands.server"));
  const backup = program.command("backup").description("back up the whole site, running or not");
  backup
    .command("create [file]", { isDefault: true })
    .description("write a backup to a new file and verify it; '-' is standard output")
    .action(run(({ create }) => create));
  backup
    .command("verify <file>")
    .description("verify that a backup is complete; changes nothing")
    .action(run(({ verify }) => verify));
  backup
    .command("list")
    .description("list the backups in BACKUP_DIR and BACKUP_S3_URL, and those made before upgrades")
    .action(run(({ list }) => list));
  program
    .command("restore <file>")
    .description("restore a backup into an empty database and DATA_DIR, while no site runs")
    .option("--keep-content", "leave CONTENT_DIR as it is")
    .action(run(({ restore }) => restore));
}

function addUpgradeCommand(program: Command): void {
  program
    .command("upgrade-database")
    .description("move the embedded database to this release's PostgreSQL, while no site runs")
    .option("--binaries <folder>", "folder of the old PostgreSQL's programs, if they are not found")
    .action(
      runner(() => import("./upgrade-commands.server"))(({ upgradeDatabase }) => upgradeDatabase),
    );
}

function addStatsCommands(stats: Command): void {
  const run = runner(() => import("./stats-commands.server"));
  const months = ["--months <number>", "number of months, 12 by default", "12"] as const;
  stats
    .command("show", { isDefault: true })
    .description("members, revenue, newsletter and visitors by month, as plots and tables")
    .option(...months)
    .option("--json", "as JSON")
    .action(run(({ show }) => show));
  stats
    .command("report <file>")
    .description("write these figures to an HTML page with charts")
    .option(...months)
    .action(run(({ report }) => report));
}

function addOperatorCommands(operator: Command): void {
  const run = runner(() => import("./operator-commands.server"));
  operator
    .command("matters")
    .description("show open alerts, and what to do")
    .option("--all", "also the latest resolved ones")
    .option("--json", "as JSON")
    .action(run(({ alerts }) => alerts));
  operator
    .command("letter")
    .description("print the operator's monthly letter")
    .option("--month <month>", "for this month, such as 2026-10; default: last month")
    .option("--send", "mail it, even if it was mailed before")
    .action(run(({ letter }) => letter));
  operator
    .command("test")
    .description("send a mail to OPERATOR_EMAIL now, and print the mail server's answer")
    .action(run(({ test }) => test));
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
  program
    .command("doctor")
    .description("check everything the site depends on, and say what to do; changes nothing")
    .option("--json", "as JSON")
    .action(runner(() => import("./doctor-command.server"))(({ doctor }) => doctor));
  addStripeCommands(program.command("stripe").description("manage payments"));
  addNewsletterCommands(program.command("newsletter").description("send issues"));
  addMemberCommands(program.command("members").description("manage accounts"));
  addSubscriberCommands(program.command("subscribers").description("manage the newsletter's list"));
  addContentCommands(program.command("content").description("check and extend the edition"));
  addBackupCommands(program);
  addUpgradeCommand(program);
  addMailCommands(program.command("mail").description("check mail, and send failed mails again"));
  addOperatorCommands(
    program.command("operator").description("see what is mailed to OPERATOR_EMAIL"),
  );
  addDatabaseCommands(program.command("db").description("open the database"));
  addStatsCommands(program.command("stats").description("figures by month"));
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
