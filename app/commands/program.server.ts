import { Command } from "commander";
import { BOOK_TITLE } from "~/book";
import type { SetupOptions } from "~/features/billing/stripe-setup.server";
import { logToStandardError } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import type { SyncOptions } from "./stripe-commands.server";

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

/**
 * The program's command line. An OperatorError is printed on standard error and ends the process with status
 * 1; any other error is a bug and keeps its stack trace.
 */
export async function runProgram(argv: string[]): Promise<void> {
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
  addStripeCommands(program.command("stripe").description("manage payments"));

  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    // a half-started database or server would keep the process alive
    setImmediate(() => process.exit());
  }
}
