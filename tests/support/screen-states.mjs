import { hydrated } from "./hydrated.mjs";

/**
 * @typedef {import("playwright").Page} Page
 * @typedef {import("./screen-visitors.mjs").Visitors} Visitors
 *
 * @typedef {object} ScreenState one page in one state
 * @property {string} name in kebab-case, the page first
 * @property {keyof Omit<Visitors, "links">} [visitor] the page's viewer; an anonymous visitor if omitted
 * @property {"narrow" | "wide"} [only] the widths at which it exists: below 1024 px, or from there on
 * @property {boolean} [plain] with JavaScript turned off
 * @property {boolean} [window] shows the window's content instead of the whole page
 * @property {string} [again] the state of which this is another picture
 * @property {(page: Page, visitors: Visitors) => Promise<unknown>} show sets it up in a new tab
 */

/** @type {(path: string) => ScreenState["show"]} */
const open = (path) => (page) => visit(page, path);

/** Pages that are also shown in each theme, by the name of their state. */
const THEMED = {
  landing: "/",
  account: "/account",
  premium: "/premium",
  chapter: "/premium/chapters/the-weight-you-carry",
  "search-found": "/premium/search?q=forest",
  "newsletter-archive": "/newsletter/archive",
};

/**
 * Pages of the author's desk, by the name of their state.
 *
 * @type {Record<string, string | ((links: Visitors["links"]) => string)>}
 */
const DESK = {
  "desk-letters": "/desk/letters",
  "desk-letter": ({ letter }) => letter,
  "desk-letter-mistakes": ({ letterWithMistakes }) => letterWithMistakes,
  "desk-letter-send": ({ letter }) => `${letter}/send`,
  "desk-letter-sent": "/desk/letters/sent/the-first-mile",
  "desk-book": "/desk/book",
  "desk-chapter": ({ chapter }) => chapter,
  "desk-chapter-new": ({ newText }) => newText,
  "desk-site": "/desk/site",
  "desk-site-file": "/desk/site/text?file=site.yml",
  "desk-people": "/desk/people",
  "desk-people-nobody": "/desk/people?match=xylophone",
  "desk-person": ({ person }) => person,
  "desk-import": "/desk/people/import",
  "desk-import-list": ({ list }) => list,
  "desk-figures": "/desk/figures",
  "desk-health": "/desk/health",
  "desk-log": "/desk/log",
};

/** Every page of the site in every state that looks different. @type {ScreenState[]} */
export const SCREEN_STATES = [
  { name: "landing", show: open("/") },
  { name: "landing-reader", visitor: "reader", show: open("/") },
  { name: "landing-member", visitor: "member", show: open("/") },
  { name: "landing-past-due", visitor: "pastDue", show: open("/") },
  { name: "landing-former-member", visitor: "former", show: open("/") },
  ...["unpaid", "paused", "refunded", "disputed", "waiting"].map((visitor) => ({
    name: `landing-${visitor}`,
    visitor: /** @type {"unpaid" | "paused" | "refunded" | "disputed" | "waiting"} */ (visitor),
    again: "landing-past-due",
    window: true,
    show: open("/"),
  })),
  { name: "landing-first-window", again: "landing", window: true, show: open("/") },
  {
    name: "landing-section",
    window: true,
    show: async (page) => {
      await visit(page, "/#reviews");
      await page.locator('[aria-current="location"]').first().waitFor({ state: "attached" });
    },
  },
  {
    name: "landing-busy",
    visitor: "reader",
    window: true,
    show: async (page) => {
      await visit(page, "/#purchase");
      await holdRequests(page, "/checkout");
      await page.getByRole("button", { name: "Upgrade to Premium" }).click();
      await page.getByRole("button", { name: "Redirecting..." }).waitFor();
    },
  },
  {
    name: "landing-subscribing",
    window: true,
    show: async (page) => {
      await visit(page, "/#newsletter");
      await holdRequests(page, "/newsletter");
      await page.getByLabel("Email address").fill("reader@example.test");
      await page.getByRole("button", { name: "Subscribe" }).click();
      await page.getByRole("button", { name: "Subscribing..." }).waitFor();
    },
  },

  {
    name: "menu-account",
    visitor: "member",
    only: "wide",
    window: true,
    show: async (page) => {
      await visit(page, "/");
      await page.getByLabel("Account menu").click();
      await page.getByRole("menuitem", { name: "Log out" }).waitFor();
    },
  },
  {
    name: "menu-account-plain",
    visitor: "reader",
    only: "wide",
    window: true,
    plain: true,
    show: async (page) => {
      await page.goto("/");
      await page.getByLabel("Account menu").click();
    },
  },
  ...["anonymous", "member"].map((visitor) => ({
    name: `menu-mobile-${visitor}`,
    visitor: /** @type {"anonymous" | "member"} */ (visitor),
    only: /** @type {const} */ ("narrow"),
    window: true,
    show: async (/** @type {Page} */ page) => {
      await visit(page, "/");
      await page.locator("summary[aria-label='Menu']").click();
      await page.getByRole("navigation", { name: "Menu" }).waitFor();
    },
  })),

  {
    name: "toast-notice",
    window: true,
    show: async (page) => {
      await visit(page, "/");
      await page.getByRole("button", { name: /^Get Your Copy/ }).click();
      await holdToast(page);
    },
  },
  {
    name: "toast-failure",
    window: true,
    show: async (page) => {
      await visit(page, "/");
      await page.getByRole("button", { name: "Upgrade to Premium" }).click();
      await holdToast(page);
    },
  },
  {
    name: "toast-replaced",
    window: true,
    show: async (page) => {
      await visit(page, "/");
      const toast = page.locator(".toast");
      await page.getByRole("button", { name: /^Get Your Copy/ }).click();
      await toast.waitFor();
      // the Radix toast has replaced the plain one once its list exists
      await page.locator("ol.toast-viewport").waitFor();
      await page.getByRole("button", { name: "Upgrade to Premium" }).click();
      await toast.filter({ hasText: "Authentication Required" }).waitFor();
      await holdToast(page);
    },
  },
  {
    name: "toast-flashed",
    plain: true,
    window: true,
    show: async (page) => {
      await page.goto("/");
      await page.getByRole("button", { name: /^Get Your Copy/ }).click();
      await holdToast(page);
    },
  },

  { name: "auth", show: open("/auth") },
  { name: "auth-signup", show: open("/auth?tab=signup") },
  { name: "auth-plain", plain: true, show: (page) => page.goto("/auth") },
  {
    name: "auth-password-shown",
    show: async (page) => {
      await visit(page, "/auth");
      await page.getByLabel("Password", { exact: true }).fill("a long walk");
      await page.getByRole("button", { name: "Show password" }).click();
    },
  },
  {
    name: "auth-busy",
    show: async (page) => {
      await visit(page, "/auth?tab=signup");
      await holdRequests(page, "/auth/signup");
      await fillCredentials(page);
      await page.getByRole("button", { name: "Create Account" }).click();
      await page.getByRole("button", { name: "Creating Account..." }).waitFor();
    },
  },
  {
    name: "auth-failed",
    show: async (page) => {
      await visit(page, "/auth");
      await fillCredentials(page);
      await page.getByRole("button", { name: "Log In" }).click();
      await page.locator(".toast").filter({ hasText: "Sign in Failed" }).waitFor();
      await holdToast(page);
    },
  },
  { name: "forgot-password", show: open("/auth/forgot-password") },
  { name: "forgot-password-sent", show: open("/auth/forgot-password?sent") },
  { name: "reset-password", show: (page, { links }) => visit(page, links.resetPassword) },

  { name: "account", visitor: "member", show: open("/account") },
  { name: "account-verify", visitor: "member", show: open("/account/verify") },
  { name: "account-delete", visitor: "member", show: open("/account/delete") },
  { name: "desk", visitor: "author", show: open("/desk") },
  ...Object.entries(DESK).map(([name, path]) => ({
    name,
    visitor: /** @type {const} */ ("author"),
    show: (/** @type {Page} */ page, /** @type {Visitors} */ { links }) =>
      visit(page, typeof path === "string" ? path : path(links)),
  })),
  { name: "premium", visitor: "member", show: open("/premium") },
  { name: "premium-leaving", visitor: "leaving", show: open("/premium") },
  { name: "premium-leaving-later", visitor: "leavingLater", show: open("/premium") },
  { name: "premium-past-due", visitor: "pastDue", show: open("/premium") },
  {
    name: "premium-loading",
    visitor: "member",
    show: async (page) => {
      await visit(page, "/checkout/success");
      await holdRequests(page, "/premium.data");
      await page.getByRole("main").getByRole("link", { name: "Go to the members’ area" }).click();
      await page.getByText("Loading...").waitFor();
    },
  },
  { name: "contents", visitor: "member", show: open("/premium/chapters") },
  { name: "chapter", visitor: "member", show: open("/premium/chapters/the-weight-you-carry") },
  ...["sepia", "night"].flatMap((theme) =>
    Object.entries(THEMED).map(([name, path]) => ({
      name: `${name}-${theme}`,
      visitor: /** @type {const} */ ("member"),
      show: async (/** @type {Page} */ page) => {
        await visit(page, path);
        await page.evaluate((theme) => {
          document.documentElement.dataset.theme = theme;
        }, theme);
      },
    })),
  ),
  { name: "highlights", visitor: "member", show: open("/premium/highlights") },
  {
    name: "highlight-new",
    visitor: "member",
    show: open("/premium/highlights/new?text=the-weight-you-carry&block=2"),
  },
  {
    name: "chapter-dark-device",
    visitor: "member",
    show: async (page) => {
      await page.emulateMedia({ colorScheme: "dark" });
      await visit(page, "/premium/chapters/the-weight-you-carry");
    },
  },
  {
    name: "chapter-settings",
    visitor: "member",
    window: true,
    show: async (page) => {
      await visit(page, "/premium/chapters/the-weight-you-carry");
      await page.locator("summary", { hasText: "Reading settings" }).click();
      await page.getByRole("button", { name: "Large", exact: true }).waitFor();
    },
  },
  { name: "extra", visitor: "member", show: open("/premium/extras/the-slow-mile") },

  { name: "premium-e-book", visitor: "leaving", show: open("/premium/e-book") },
  { name: "premium-podcast", visitor: "leaving", show: open("/premium/podcast") },
  {
    name: "premium-podcast-address",
    visitor: "member",
    show: async (page) => {
      await visit(page, "/premium/podcast");
      const first = page.getByRole("button", { name: "Get your podcast address" });
      if (await first.isVisible()) {
        await first.click();
        await page.getByRole("textbox", { name: "Address", exact: true }).waitFor();
        // without the toast
        await visit(page, "/premium/podcast");
      }
    },
  },
  { name: "search", visitor: "member", show: open("/premium/search") },
  { name: "search-found", visitor: "member", show: open("/premium/search?q=forest") },
  { name: "search-nothing", visitor: "member", show: open("/premium/search?q=xylophone") },
  { name: "preview", show: open("/preview/the-hour-before-the-day") },
  { name: "preview-member", visitor: "member", show: open("/preview/the-hour-before-the-day") },
  { name: "checkout-success", visitor: "member", show: open("/checkout/success") },
  {
    name: "checkout-confirming",
    visitor: "waiting",
    show: (page, { waiting }) =>
      visit(page, `/checkout/success?session_id=${"session" in waiting ? waiting.session : ""}`),
  },
  { name: "checkout-cancelled", visitor: "reader", show: open("/checkout/cancelled") },

  { name: "card", show: open("/billing/card") },
  { name: "card-past-due", visitor: "pastDue", show: open("/billing/card") },
  { name: "card-member", visitor: "member", again: "card-past-due", show: open("/billing/card") },
  { name: "card-refunded", visitor: "refunded", show: open("/billing/card") },
  { name: "card-former-member", visitor: "former", show: open("/billing/card") },
  {
    name: "card-reader",
    visitor: "reader",
    again: "card-former-member",
    show: open("/billing/card"),
  },

  { name: "newsletter-confirm", show: (page, { links }) => visit(page, links.confirm) },
  { name: "newsletter-unsubscribe", show: (page, { links }) => visit(page, links.unsubscribe) },
  {
    name: "newsletter-unsubscribed",
    show: async (page, { links }) => {
      await visit(page, links.unsubscribe);
      await postForm(page, links.unsubscribe, { "List-Unsubscribe": "One-Click" });
      await page.getByRole("heading", { name: "You’ve been unsubscribed" }).waitFor();
    },
  },

  { name: "newsletter-archive", show: open("/newsletter/archive") },
  { name: "newsletter-issue", show: open("/newsletter/the-first-mile") },
  {
    name: "newsletter-issue-plain",
    plain: true,
    again: "newsletter-issue",
    show: (page) => page.goto("/newsletter/the-first-mile"),
  },
  { name: "newsletter-issue-beginning", show: open("/newsletter/the-long-hill") },
  { name: "newsletter-issue-member", visitor: "member", show: open("/newsletter/the-long-hill") },

  { name: "not-found", show: open("/the-wrong-turn") },
  {
    name: "error",
    show: async (page) => {
      await visit(page, "/");
      // the landing page accepts no posts
      await postForm(page, "/?index", {});
      await page.getByRole("heading", { name: "That isn’t possible here" }).waitFor();
    },
  },
];

/**
 * Opens a page and waits until it is hydrated and its fonts have loaded.
 *
 * @param {Page} page
 * @param {string} path
 */
async function visit(page, path) {
  await page.goto(path);
  await page.waitForFunction(() => document.querySelector("#main")?.matches("[tabindex]"));
  await hydrated(page);
  await page.evaluate(() => document.fonts.ready);
}

/** @param {Page} page */
async function fillCredentials(page) {
  await page.getByLabel("Email").filter({ visible: true }).fill("walker@example.test");
  await page.getByLabel("Password", { exact: true }).filter({ visible: true }).fill("a long walk");
}

/** A toast under the pointer stays. @param {Page} page */
async function holdToast(page) {
  await page.locator(".toast-title").hover();
}

/**
 * Holds requests for this path while the page is open. Playwright's own interception would let the browser send them
 * when the page is closed.
 */
async function holdRequests(/** @type {Page} */ page, /** @type {string} */ path) {
  await page.evaluate((path) => {
    const { fetch } = window;
    window.fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
      return pathname === path ? new Promise(() => {}) : fetch(input, init);
    };
  }, path);
}

/** Posts a form as a navigation. */
async function postForm(
  /** @type {Page} */ page,
  /** @type {string} */ action,
  /** @type {Record<string, string>} */ fields,
) {
  await page.evaluate(
    ({ action, fields }) => {
      const form = Object.assign(document.createElement("form"), { method: "post", action });
      for (const [name, value] of Object.entries(fields)) {
        form.append(
          Object.assign(document.createElement("input"), { type: "hidden", name, value }),
        );
      }
      document.body.append(form);
      form.submit();
    },
    { action, fields },
  );
}
