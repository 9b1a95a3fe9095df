import type { BrowserContext, Page } from "playwright";
import { describe, it, onTestFinished } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { hydrated } from "../../support/hydrated.mjs";

const site = siteForThisFile({ variables: { CANCELLATION_PAGE: "true" } });

/** A page whose errors are not watched, because React reports that it rendered the page anew. */
async function visit(isMember = false): Promise<Page> {
  const watched = await site.visit();
  const context = (await watched.context().browser()?.newContext({
    baseURL: site.origin,
  })) as BrowserContext;
  onTestFinished(() => context.close());
  if (isMember) await site.signUpAsMember(context);
  return context.newPage();
}

/** Opens a path and holds its scripts back; the function returned lets them run. */
async function openWithoutScripts(page: Page, path: string, html = (text: string) => text) {
  let run = () => {};
  const held = new Promise<void>((done) => {
    run = done;
  });
  await page.route("**/build/entry.client-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.route(`${site.origin}${path}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: html(await answer.text()) });
  });
  await page.goto(path, { waitUntil: "commit" });
  await expect(page.getByRole("contentinfo")).toBeVisible();
  return async () => {
    run();
    await hydrated(page);
  };
}

/** What extensions do to a page before its scripts run; `anew` if React 18 then renders the whole page anew. */
const EXTENSIONS: Record<string, { change: (page: Page) => Promise<void>; anew: boolean }> = {
  "adds a style to the head (remix-run/remix#2947, Dark Reader)": {
    change: (page) => page.evaluate(() => document.head.prepend(document.createElement("style"))),
    anew: true,
  },
  "adds an element to the body (remix-run/remix#4822, Grammarly)": {
    change: (page) =>
      page.evaluate(() => document.body.prepend(document.createElement("grammarly-extension"))),
    anew: true,
  },
  "adds an element behind the body (facebook/react#24430)": {
    change: (page) =>
      page.evaluate(() => {
        document.documentElement.append(document.createElement("grammarly-desktop-integration"));
      }),
    anew: true,
  },
  "adds a field and a button to each form (password managers)": {
    change: (page) =>
      page.evaluate(() => {
        for (const field of document.querySelectorAll("form input")) {
          const button = document.createElement("button");
          field.before(document.createElement("input"), button);
        }
      }),
    anew: true,
  },
  "sets attributes only (LastPass)": {
    change: (page) =>
      page.evaluate(() => {
        document.body.dataset.extension = "1";
        for (const field of document.querySelectorAll("input")) field.dataset.lpignore = "true";
      }),
    anew: false,
  },
};

/** How proxies rewrite HTML. */
const PROXIES: Record<string, (html: string) => string> = {
  "removes comments": (html) => html.replace(/<!--.*?-->/g, ""),
  "removes white space": (html) => html.replace(/>\s+</g, "><"),
  "adds a script to the head": (html) => html.replace("<head>", "<head><script></script>"),
  "adds an element before the end (Cloudflare)": (html) =>
    html.replace("</body>", "<div hidden></div></body>"),
};

const EMAIL = "anna@example.test";
const PASSWORD = "a long walk";

async function type(page: Page): Promise<void> {
  const form = page.getByRole("tabpanel");
  await form.getByLabel("Email").fill(EMAIL);
  const password = form.getByLabel("Password", { exact: true });
  await password.pressSequentially(PASSWORD);
  await password.evaluate((field: HTMLInputElement) => field.setSelectionRange(2, 6, "backward"));
  await page.evaluate(() => Object.assign(window, { before: document.body }));
}

async function expectTyped(page: Page): Promise<void> {
  const form = page.getByRole("tabpanel");
  await expect(form.getByLabel("Email")).toHaveValue(EMAIL);
  const password = form.getByLabel("Password", { exact: true });
  await expect(password).toHaveValue(PASSWORD);
  await expect(password).toBeFocused();
  const selection = await password.evaluate((field: HTMLInputElement) => [
    field.selectionStart,
    field.selectionEnd,
    field.selectionDirection,
  ]);
  expect(selection).toEqual([2, 6, "backward"]);
}

const isAnew = (page: Page) =>
  page.evaluate(() => (window as unknown as { before: Element }).before !== document.body);

describe("what was typed before the scripts ran, the focus and the selection stay", () => {
  it.each(Object.entries(EXTENSIONS))("if an extension %s", async (_name, { change, anew }) => {
    const page = await visit();
    const run = await openWithoutScripts(page, "/auth");
    await change(page);
    await type(page);
    await run();
    expect(await isAnew(page)).toBe(anew);
    await expectTyped(page);
    if (!anew) return;
    // the forms know what is in them
    await page.getByRole("tab", { name: "Sign Up" }).click();
    await expect(page.getByRole("tabpanel").getByLabel("Email")).toHaveValue(EMAIL);
  });

  it.each(Object.entries(PROXIES))("if a proxy %s", async (_name, rewrite) => {
    const page = await visit();
    const run = await openWithoutScripts(page, "/auth", rewrite);
    await type(page);
    await run();
    await expectTyped(page);
  });

  it.each([
    ["/", false],
    ["/auth?tab=signup", false],
    ["/auth/forgot-password", false],
    ["/billing/card", false],
    ["/cancellation", false],
    ["/account", true],
    ["/premium/search", true],
    ["/premium/chapters/the-weight-you-carry", true],
  ])("in every form of %s (facebook/react#26974)", async (path, isMember) => {
    const page = await visit(isMember);
    const run = await openWithoutScripts(page, path);
    const enter = () =>
      page.evaluate(() => {
        for (const each of document.querySelectorAll("details")) each.open = true;
        document.head.prepend(document.createElement("style"));
        const fields = document.querySelectorAll<HTMLInputElement | HTMLSelectElement>(
          "input:not([type=hidden], [type=file], [readonly]), textarea, select",
        );
        for (const [index, field] of [...fields].entries()) {
          if (field instanceof HTMLSelectElement) field.selectedIndex = field.options.length - 1;
          else if (/radio|checkbox/.test(field.type)) field.checked = true;
          else field.value = `${index}@example.test`;
        }
        fields[fields.length - 1]?.focus();
        Object.assign(window, { before: document.body });
      });
    const read = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLInputElement>(
            "input:not([type=hidden], [type=file], [readonly]), textarea, select",
          ),
        ].map((field) => [field.name, field.value, field.checked]),
      );
    await enter();
    const entered = await read();
    expect(entered.length).toBeGreaterThan(0);
    await run();
    expect(await isAnew(page)).toBe(true);
    await expect.poll(read).toEqual(entered);
  });
});
