import { eq, inArray, sql } from "drizzle-orm";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { hashPassword } from "~/features/accounts/password.server";
import { openSession, setSession } from "~/features/accounts/sessions.server";
import { type Database, openDatabase } from "~db/client";
import { insertUser } from "~db/queries/users";
import { type Profile, profiles, users } from "~db/schema";
import { launchChromium, NO_OTHER_HOSTS } from "./browsers/chromium.mjs";
import { hydrated } from "./hydrated.mjs";
import { watchForErrors } from "./pages";
import { control } from "./payments";
import { createTestDatabase, type TestDatabase } from "./postgres";
import { type Program, startProgram, temporaryDirectory } from "./program";
import { SESSION_SECRET } from "./session-secret";

/** An account's credentials. */
export type Account = { email: string; password: string };

export type Member = Account & { subscription: string };

type SiteOptions = {
  /** Further variables of the program. */
  variables?: Record<string, string>;
  /**
   * Whether each test's first `visit()` without options gets the same tab, cleared of cookies and storage. A new tab
   * takes longer than most tests.
   */
  sharesTab?: boolean;
};

const PASSWORD = "a long walk";
let passwordHash: Promise<string> | undefined;

/** Everything an end-to-end test needs: the built program, its own database, a browser. */
export class E2eSite {
  readonly #data = temporaryDirectory();
  readonly #contexts: BrowserContext[] = [];
  #landingPage: Promise<Page> | undefined;
  #sharesTab = false;
  #sharedTab: Promise<Page> | undefined;
  #isSharedTabTaken = false;
  /** The errors that each page of the running test has reported. */
  readonly #errors: string[][] = [];
  #accounts = 0;
  #testDatabase: TestDatabase | undefined;
  #database: Database | undefined;
  #program: Program | undefined;
  #browser: Promise<Browser> | undefined;
  #variables: Record<string, string> = {};

  async start({ variables = {}, sharesTab = false }: SiteOptions): Promise<void> {
    this.#sharesTab = sharesTab;
    const testDatabase = await createTestDatabase();
    this.#testDatabase = testDatabase;
    this.#database = openDatabase(testDatabase.url);
    this.#variables = {
      PAYMENTS: "sandbox",
      DATABASE_URL: testDatabase.url,
      DATA_DIR: this.#data.path,
      SESSION_SECRET,
      // rate limits have their own tests; here many visitors share one address
      RATE_LIMIT_FACTOR: "10000",
      ...variables,
    };
    setEnvironment({ SESSION_SECRET, DATA_DIR: this.#data.path, LOG_LEVEL: "silent" });
    this.#program = await startProgram({ variables: this.#variables });
    this.#variables.PORT = new URL(this.#program.origin).port;
  }

  /** Kills the program with SIGKILL, and starts it again on the same port and data. */
  async killAndRestart(): Promise<void> {
    await this.#started(this.#program).stop("SIGKILL");
    this.#program = await startProgram({ variables: this.#variables });
  }

  async stop(): Promise<void> {
    await (await this.#browser)?.close();
    await this.#program?.stop();
    await this.#database?.close();
    await this.#testDatabase?.drop();
    this.#data.remove();
  }

  /** Closes what a test has opened; fails the test if one of its pages has reported an error. */
  async endTest(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    const errors = this.#errors.flatMap((ofPage) => ofPage.splice(0));
    if (this.#isSharedTabTaken && this.#sharedTab) await this.#empty(await this.#sharedTab);
    this.#isSharedTabTaken = false;
    expect(errors).toEqual([]);
  }

  /** Clears the shared tab. It keeps its page: the next one reuses its process. */
  async #empty(tab: Page): Promise<void> {
    const context = tab.context();
    for (const page of context.pages()) if (page !== tab) await page.close();
    await tab.unrouteAll({ behavior: "ignoreErrors" });
    await context.clearCookies();
    await tab.mouse.move(0, 0);
    const screen = await context.newCDPSession(tab);
    await screen.send("Storage.clearDataForOrigin", { origin: this.origin, storageTypes: "all" });
    await screen.detach();
  }

  get origin(): string {
    return this.#started(this.#program).origin;
  }

  get sandboxOrigin(): string {
    return this.#started(this.#program).sandboxOrigin;
  }

  /** The program's environment, to run its commands beside it. */
  get variables(): Record<string, string> {
    return this.#variables;
  }

  get dataDir(): string {
    return this.#data.path;
  }

  /** The program's output so far. */
  output(): string {
    return this.#started(this.#program).output();
  }

  /** The program's own database, for tests to inspect and break. */
  get database(): Database {
    return this.#started(this.#database);
  }

  /** The landing page, opened once and shared by tests that only read it. */
  landingPage(): Promise<Page> {
    this.#landingPage ??= this.#newPage().then((page) => this.open("/", page));
    return this.#landingPage;
  }

  /** A page in a new browser context, or the shared tab; all its pages are watched for errors. */
  async visit(options?: BrowserContextOptions): Promise<Page> {
    if (options || !this.#sharesTab || this.#isSharedTabTaken) {
      const page = await this.#newPage(options);
      this.#contexts.push(page.context());
      return page;
    }
    this.#isSharedTabTaken = true;
    this.#sharedTab ??= this.#newPage();
    return this.#sharedTab;
  }

  async #newPage(options?: BrowserContextOptions): Promise<Page> {
    this.#browser ??= launchChromium({ args: [NO_OTHER_HOSTS] });
    const browser = await this.#browser;
    const context = await browser.newContext({ baseURL: this.origin, ...options });
    context.on("page", (page) => this.#errors.push(watchForErrors(page)));
    return context.newPage();
  }

  /** Opens a path, in a new browser context unless a page is given, and waits for hydration. */
  async open(path: string, page?: Page): Promise<Page> {
    const opened = page ?? (await this.visit());
    await opened.goto(path);
    await hydrated(opened);
    return opened;
  }

  /** Posts as a page with JavaScript does, with a browser context's cookies. */
  async post(context: BrowserContext, path: string, fields: Record<string, unknown>) {
    const answer = await context.request.post(path, {
      data: fields,
      // a new connection, since the site may be closing the idle one
      headers: { Origin: this.origin, Connection: "close" },
    });
    return (await answer.json()) as Record<string, unknown>;
  }

  /** An email address that is not used yet. */
  newEmail(name = "reader"): string {
    this.#accounts += 1;
    return `${name}-${this.#accounts}@example.test`;
  }

  /** Gives a browser context a session of a new account. */
  async signUp(context: BrowserContext, name?: string): Promise<Account> {
    const account = await this.newAccount(name);
    await this.signIn(context, account.email);
    return account;
  }

  /** Gives a browser context a session of an account, as logging in does. */
  async signIn(context: BrowserContext, email: string): Promise<void> {
    const { db } = this.database;
    const [user] = await db.select().from(users).where(eq(users.email, email));
    const session = user && (await openSession(user, null, { userAgent: null }, db));
    if (!session) throw new Error(`No session could be opened for ${email}.`);
    const [name = "", value = ""] = (await setSession(session)).split(/[=;]/);
    await context.addCookies([{ name, value, url: this.origin }]);
  }

  async newAccount(name?: string): Promise<Account> {
    passwordHash ??= hashPassword(PASSWORD);
    const account = { email: this.newEmail(name), password: PASSWORD };
    await insertUser({ email: account.email, passwordHash: await passwordHash }, this.database.db);
    return account;
  }

  /** Gives a browser context a session of a new account with a paid period that Stripe does not know. */
  async signUpAsMember(context: BrowserContext, name?: string): Promise<Account> {
    const account = await this.signUp(context, name);
    await this.setProfile(account.email, {
      stripePriceId: SANDBOX_STRIPE.priceId,
      stripeSubscriptionId: "sub_of_tests",
      stripeSubscriptionStatus: "active",
      stripeCurrentPeriodEnd: new Date(Date.now() + 20 * 86_400_000),
    });
    return account;
  }

  /** Signs a browser context up and pays for its membership at the local Stripe. */
  async subscribe(context: BrowserContext, name?: string): Promise<Member> {
    const account = await this.signUp(context, name);
    const { sessionId } = await this.post(context, "/checkout", {
      priceId: SANDBOX_STRIPE.priceId,
    });
    const { session } = await this.sandbox<{ session: { subscription: string } }>(
      `sessions/${sessionId}/pay`,
    );
    return { ...account, subscription: session.subscription };
  }

  /** Triggers something in the local Stripe through its control API, and waits for its webhooks to be delivered. */
  async sandbox<Answer>(path: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await control<Answer>(this.sandboxOrigin, path, fields);
    await control(this.sandboxOrigin, "webhooks/settle");
    return answer;
  }

  /** Sets an account's picture directly. */
  async givePicture(email: string, address: string): Promise<void> {
    const { db } = this.database;
    await db.update(users).set({ avatarUrl: address }).where(eq(users.email, email));
  }

  /** Writes an account's billing state directly, for states that would take a month to reach. */
  async setProfile(email: string, profile: Partial<Profile>): Promise<void> {
    await this.database.db.update(profiles).set(profile).where(this.#isProfileOf(email));
  }

  /** Removes an account's billing state. */
  async forgetProfile(email: string): Promise<void> {
    await this.database.db.delete(profiles).where(this.#isProfileOf(email));
  }

  #isProfileOf(email: string) {
    const owner = this.database.db.select({ id: users.id }).from(users);
    return inArray(profiles.id, owner.where(eq(users.email, email)));
  }

  /** Runs `work` while a table is missing, as when the database fails. */
  async without(table: string, work: () => Promise<void>): Promise<void> {
    const away = `${table}_away`;
    const rename = (from: string, to: string) =>
      this.database.db.execute(
        sql`alter table ${sql.identifier(from)} rename to ${sql.identifier(to)}`,
      );
    await rename(table, away);
    try {
      await work();
    } finally {
      await rename(away, table);
    }
  }

  #started<Part>(part: Part | undefined): Part {
    if (part === undefined) throw new Error("The site has not been started.");
    return part;
  }
}

/**
 * One site for all tests of the calling file: started before the first and stopped after the last. A test
 * fails if one of its pages reports an uncaught or a console error.
 */
export function siteForThisFile(options: SiteOptions = {}): E2eSite {
  const site = new E2eSite();
  beforeAll(() => site.start(options));
  afterEach(() => site.endTest());
  afterAll(() => site.stop());
  return site;
}
