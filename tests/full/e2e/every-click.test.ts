import type { BrowserContext, Page } from "playwright";
import { describe, expect, it } from "vitest";
import {
  bringIntoView,
  type Control,
  click,
  controlNow,
  describeControl,
  expectOpen,
  expectPosition,
  expectUnderHeader,
  findControls,
  poll,
  restingPosition,
  wheelTo,
} from "../../support/controls";
import { type Account, siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";

const site = siteForThisFile();

const WINDOWS = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };
type Window = keyof typeof WINDOWS;

/** What to click on one page, for one kind of visitor. */
type Walk = {
  /** Each concurrent page has its own window, since browsers throttle background pages. */
  contexts: [BrowserContext, ...BrowserContext[]];
  path: string;
  scripts: boolean;
  /** The account to sign in again after signing out; null for visitors. */
  account: Account | null;
  /** An existing account, with which forms are filled in. */
  known: Account;
};

/** How a control is clicked, one after the other; what leads to no section, once. */
type Round = "from the top" | "from the middle" | "after back and forward";

/** The outcomes of buttons, by name: the title of a toast, or the payment page. */
const PAYMENT = "the payment page";
const OUTCOMES: [RegExp, string[]][] = [
  [/^(Buy Now|Get Your Copy)/, ["Purchase Feature Coming Soon!"]],
  [/^Profile$/, ["Feature not implemented"]],
  [/^Log out$/, ["👋 You've been signed out."]],
  [/^Upgrade to Premium$/, ["Authentication Required", PAYMENT]],
  [/^Manage or cancel membership$/, [PAYMENT]],
  [/^Subscribe$/, ["🎉 Success!", "Uh oh! Something went wrong."]],
  [/^Log In$/, ["Sign in Failed"]],
  [/^Create Account$/, ["Sign up incomplete"]],
];

describe.each([
  { scripts: true, name: "with JavaScript", window: "desktop" },
  { scripts: false, name: "without JavaScript", window: "phone" },
] as const)("$name, each link and button works, each time", ({ scripts, window }) => {
  it("for visitors", async () => {
    const known = await site.newAccount();
    const seen = new Set<string>();
    const open = () => newContext(scripts, window);
    // concurrently, since most of the time is spent waiting for pages
    const contexts: Walk["contexts"] = [await open(), await open(), await open()];
    let clicked = 0;
    for (const path of ["/", "/auth", "/auth?tab=signup"]) {
      clicked += await walk({ contexts, path, scripts, account: null, known }, seen);
    }
    expect(clicked).toBeGreaterThanOrEqual(15);
  }, 300_000);

  it("for readers and members, where they differ from a visitor's", async () => {
    const seen = new Set<string>();
    const page = await (await newContext(scripts, window)).newPage();
    await load(page, "/", scripts);
    for (const control of await findControls(page)) seen.add(identity("/", control));
    await page.close();
    const asRole = async (role: "reader" | "member") => {
      const context = await newContext(scripts, window);
      const account = await (role === "reader" ? site.signUp(context) : site.subscribe(context));
      const theirs: Walk = { contexts: [context], path: "/", scripts, account, known: account };
      const clicked = await walk(theirs, new Set(seen));
      // Profile and Log out at least
      expect(clicked, role).toBeGreaterThanOrEqual(2);
    };
    await Promise.all([asRole("reader"), asRole("member")]);
  }, 300_000);
});

async function newContext(scripts: boolean, window: Window) {
  const page = await site.visit({
    javaScriptEnabled: scripts,
    viewport: WINDOWS[window],
    // smooth scrolling has its own tests, and would take most of the time here
    reducedMotion: "reduce",
  });
  await page.close();
  return page.context();
}

async function load(page: Page, path: string, scripts: boolean): Promise<void> {
  await page.goto(path);
  if (scripts) await hydrated(page);
}

/** Equal for the same control on the same page of another visitor. */
function identity(path: string, { place, kind, name, href }: Control): string {
  return [path.replace(/\?.*/, ""), place.replace(/ \d+$/, ""), kind, name, href].join(" | ");
}

/**
 * Clicks all controls of a page that have not been seen yet. Links within the page are clicked in windows of
 * every size, since their targets have different positions. Returns the number of controls.
 */
async function walk(walk: Walk, seen: Set<string>): Promise<number> {
  const { contexts, path, scripts, account } = walk;
  const first = await contexts[0].newPage();
  const others = contexts.slice(1).map((context) => context.newPage());
  const pages = [first, ...(await Promise.all(others))];
  await load(first, path, scripts);
  const controls = (await findControls(first)).filter((control) => {
    // needs an authenticator, which e2e/passkeys has
    if (control.name === "Sign in with a passkey") return false;
    const isNew =
      !seen.has(identity(path, control)) || (!account && path === "/" && isWithinPage(control));
    // without scripts, header and footer are the same on every page, and every link is a page load
    const isOfFrame = !scripts && path !== "/" && !control.place.startsWith("main");
    return isNew && !isOfFrame && !control.disabled;
  });
  for (const control of controls) seen.add(identity(path, control));
  const endsSession = ({ name }: Control) => name === "Log out";
  const queue = controls.filter((control) => !endsSession(control));
  await Promise.all(
    pages.map(async (page) => {
      for (let next = queue.shift(); next; next = queue.shift())
        await clickInRounds(page, walk, next);
    }),
  );
  for (const control of controls.filter(endsSession)) await clickInRounds(first, walk, control);
  await Promise.all(pages.map((page) => page.close()));
  return controls.length;
}

function isWithinPage({ href }: Control): boolean {
  return href.startsWith(`${site.origin}/#`);
}

/** Clicks a control, a section's link in all rounds, checking the outcome each time. */
async function clickInRounds(page: Page, walk: Walk, control: Control): Promise<void> {
  let round: Round = "from the top";
  try {
    await load(page, walk.path, walk.scripts);
    const start = page.url();
    await wheelTo(page, 0);
    const first = await pressOnce(page, walk, control);
    if (!walk.scripts || walk.path !== "/" || !isWithinPage(control)) return;

    round = "from the middle";
    await wheelTo(page, await page.evaluate(middleOfPage));
    const second = await pressOnce(page, walk, control);
    const [there, arrived] = [page.url(), await restingPosition(page)];

    round = "after back and forward";
    await page.goBack();
    // a second click on the same link adds no history entry
    await expectPosition(page, page.url() === start ? first : second);
    await page.goForward();
    await expectPage(page, there, walk);
    await expectPosition(page, arrived);
    await pressOnce(page, walk, control);
  } catch (error) {
    const { width } = page.viewportSize() ?? {};
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `${walk.path} at ${width} px, ${describeControl(control)}, ${round}: ${reason}`,
    );
  }
}

function middleOfPage(): number {
  return Math.round((document.documentElement.scrollHeight - window.innerHeight) / 2);
}

async function expectPage(page: Page, url: string, { scripts }: Walk): Promise<void> {
  await poll(() => page.url()).toBe(url);
  if (scripts && url.startsWith(site.origin)) await hydrated(page);
}

/** Clicks a control at the current scroll position and checks the outcome. Returns the position at the click. */
async function pressOnce(page: Page, walk: Walk, control: Control): Promise<number> {
  await closeToast(page);
  const opener = control.opener && { ...control, place: control.opener };
  const position = await bringIntoView(page, opener || control);
  if (opener && !(await controlNow(page, opener)).open) {
    await click(page, opener);
    await expectOpen(page, opener, true);
  }
  const before = await controlNow(page, control);
  switch (control.kind) {
    case "link":
      await click(page, control);
      await expectArrival(page, control);
      break;
    case "tab": {
      // without scripts it is a link, which loads the page even if that is the one shown
      const loaded = walk.scripts ? null : page.waitForEvent("load");
      await click(page, control);
      await loaded;
      await poll(async () => (await controlNow(page, control)).selected).toBe(true);
      await poll(() => page.url()).toBe(control.href);
      break;
    }
    case "menu":
      await click(page, control);
      await expectOpen(page, control, !before.open);
      break;
    case "submit":
      await pressSubmit(page, walk, control);
      break;
    case "button":
      await click(page, control);
      await poll(async () => (await controlNow(page, control)).reaction).not.toBe(before.reaction);
      break;
  }
  return position;
}

/** Expects a link's target: the section, just under the header, or the top of the page. */
async function expectArrival(page: Page, { href }: Control): Promise<void> {
  // section links that load a page
  const to = new URL(href.replace(/\/sections\/(\w+)$/, "/#$1"));
  await poll(() => page.url()).toBe(to.href);
  if (to.hash) await expectUnderHeader(page, to.hash.slice(1));
  else await expectPosition(page, 0);
  await poll(() => page.locator("details[open]").count(), "open menus").toBe(0);
}

/** Submits a form: first empty, if it has required fields, then filled in. */
async function pressSubmit(page: Page, walk: Walk, control: Control): Promise<void> {
  const button = page.getByRole("button", { name: control.name, exact: true });
  const form = page.getByRole("main").locator("form", { has: button });
  const needsFilling =
    !control.opener &&
    (await form.count()) > 0 &&
    (await form.first().evaluate((form: HTMLFormElement) => !form.checkValidity()));
  if (needsFilling) {
    const url = page.url();
    await click(page, control);
    // the browser reports the missing value at the field
    await poll(() => form.locator(":invalid:focus").count()).toBe(1);
    expect(page.url()).toBe(url);
    await form.locator("input[type=email]").fill(walk.known.email);
    const password = form.locator("input[type=password]");
    if (await password.count()) await password.fill("not the one");
    await bringIntoView(page, control);
  }
  const start = page.url();
  await click(page, control);
  const expected = OUTCOMES.find(([name]) => name.test(control.name))?.[1];
  const outcome = () => outcomeOf(page, start);
  // an unlisted button must have an effect too
  if (expected) await poll(outcome).toBeOneOf(expected);
  else await poll(outcome).not.toBe("nothing");
  if (control.name === "Log out" && walk.account) {
    await site.post(walk.contexts[0], "/auth/login", walk.account);
    await load(page, walk.path, walk.scripts);
  }
}

/** A form's outcome: the title of the toast, the payment page, or another URL. */
async function outcomeOf(page: Page, start: string): Promise<string> {
  if (page.url().startsWith(site.sandboxOrigin)) return PAYMENT;
  const title = page.locator(".toast:visible .toast-title");
  if (await title.count()) return (await title.first().textContent()) ?? "";
  return page.url() === start ? "nothing" : page.url();
}

/** Closes the toast of an earlier click, so that it is not taken for the next one's. Nothing else may move. */
async function closeToast(page: Page): Promise<void> {
  const close = page.locator(".toast:visible").getByLabel("Close");
  if (!(await close.count())) return;
  const position = await restingPosition(page);
  // it may have closed by itself
  await close.click({ timeout: 2_000 }).catch(() => {});
  await poll(() => page.locator(".toast:visible").count(), "toasts").toBe(0);
  await expectPosition(page, position);
}
