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
    .description("make or find price, webhook endpoint and portal at Stripe; print the variables")
    .option("--amount <amount>", "another price of the same product, such as 12.50")
    .option("--currency <code>", "of another price, such as eur")
    .option("--interval <interval>", "of another price: month or year")
    .option("--new-webhook-secret", "another webhook endpoint, because the secret is lost")
    .action(async (options: SetupOptions) => (await commands()).setup(options));
  stripe
    .command("sync")
    .description("make members' rows equal to what Stripe says")
    .option("--all", "every member, as after an outage")
    .option("--after <id>", "with --all: go on after this account, as a run that was stopped said")
    .option(
      "--unlink-unknown",
      "with --all: forget customers that this Stripe account does not have",
    )
    .option("--from-stripe", "every membership at Stripe, as after a backup was restored")
    .option("--user <e-mail>", "one member")
    .action(async (options: SyncOptions) => (await commands()).sync(options));
  stripe
    .command("doctor")
    .description("examine everything between a payment and access; change nothing")
    .option("--after <id>", "only the members after this account, as a run that was stopped said")
    .action(async (options: { after?: string }) => (await commands()).doctor(options));
}

/**
 * The program's command line. An OperatorError ends it with its sentences on standard error and status
 * 1; anything else that is thrown is a fault of the program and keeps its stack trace.
 */
export async function runProgram(argv: string[]): Promise<void> {
  const program = new Command("golden-path").description(
    `The site of the book '${BOOK_TITLE}': serves it, and looks after it.`,
  );
  program
    .command("serve", { isDefault: true })
    .description("serve the site until it is told to stop")
    .action(async () => {
      const { serve } = await import("~/server/serve.server");
      await serve();
    });
  program
    .command("demo")
    .description("serve the site with the local Stripe sandbox, and say what can be tried")
    .action(async () => {
      const { serve } = await import("~/server/serve.server");
      const { printDemo } = await import("./demo.server");
      await serve({ variables: { PAYMENTS: "sandbox" }, onReady: printDemo });
    });
  addStripeCommands(program.command("stripe").description("look after the payments"));

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
