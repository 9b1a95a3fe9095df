import type { Browser, LaunchOptions } from "playwright";
import { launchChromium } from "./browsers/chromium.mjs";
import { createTestDatabase } from "./postgres";
import { type Program, startProgram, temporaryDirectory } from "./program";
import { prepareVisitors, type Visitors } from "./screen-visitors.mjs";

/**
 * The built program, a Chromium and the visitors, to set up the states of `screen-states.mjs`.
 */
export type StatesSite = {
  program: Program;
  browser: Browser;
  visitors: Visitors;
  close(): Promise<void>;
};

/** Starts the program on its own database, and creates the visitors. */
export async function startStatesSite(options: LaunchOptions = {}): Promise<StatesSite> {
  const data = temporaryDirectory();
  const database = await createTestDatabase();
  const [program, browser] = await Promise.all([
    startProgram({
      variables: {
        PAYMENTS: "sandbox",
        DATABASE_URL: database.url,
        DATA_DIR: data.path,
        NEWSLETTER_DOUBLE_OPT_IN: "true",
        AUTHOR_EMAIL: "author@example.test",
        RATE_LIMIT_FACTOR: "1000",
      },
    }),
    launchChromium(options),
  ]);
  const close = async () => {
    await browser.close();
    await program.stop();
    await database.drop();
    data.remove();
  };
  try {
    const visitors = await prepareVisitors(browser, {
      ...program,
      dataDir: data.path,
      databaseUrl: database.url,
    });
    return { program, browser, visitors, close };
  } catch (error) {
    await close();
    throw error;
  }
}
