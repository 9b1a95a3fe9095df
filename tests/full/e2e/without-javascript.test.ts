import type { BrowserContextOptions, Locator, Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { type Account, siteForThisFile } from "../../support/e2e-site";

const site = siteForThisFile();

const PLAIN = { javaScriptEnabled: false };
const PHONE = { ...PLAIN, viewport: { width: 360, height: 740 } };

const visit = async (path: string, options: BrowserContextOptions = PLAIN): Promise<Page> => {
  const page = await site.visit(options);
  await page.goto(path);
  return page;
};
const toastOf = (page: Page) => page.locator(".toast");
const panel = (page: Page) => page.getByRole("tabpanel");

async function expectToast(page: Page, variant: "default" | "destructive", ...lines: string[]) {
  const toast = toastOf(page);
  await expect(toast).toBeVisible();
  await expect(toast.locator(".toast-text > *")).toHaveText(lines);
  await expect(toast).toHaveAttribute("data-variant", variant);
  // the live region announces it once the page has loaded
  await expect(toast).toHaveRole(variant === "destructive" ? "alert" : "status");
}

async function submit(page: Page, { email, password }: Account) {
  await panel(page).getByLabel("Email").fill(email);
  await panel(page).getByLabel("Password", { exact: true }).fill(password);
  await panel(page)
    .getByRole("button", { name: /Log In|Create Account/ })
    .click();
}

/** The avatar menu's panel, opened. */
async function openAccountMenu(page: Page): Promise<Locator> {
  const menu = page.getByRole("banner").locator(".account-menu");
  await menu.getByLabel("Account menu").click();
  await expect(menu.getByText("My Account", { exact: true })).toBeVisible();
  return menu;
}

describe("without JavaScript, signing up and in", () => {
  it("returns to the form after a failure, with the email and without the password", async () => {
    const page = await visit("/auth");
    const stranger = { email: "Nobody@example.test", password: "not the one" };
    await submit(page, stranger);
    await expect(page).toHaveURL(`${site.origin}/auth`);
    await expectToast(page, "destructive", "Sign in Failed", "Invalid login credentials");
    await expect(panel(page).getByLabel("Email")).toHaveValue(stranger.email);
    await expect(panel(page).getByLabel("Password", { exact: true })).toHaveValue("");
    expect(await page.content()).not.toContain(stranger.password);

    // a flash appears once, so a reload shows neither toast nor email
    await page.reload();
    await expect(toastOf(page)).toHaveCount(0);
    await expect(panel(page).getByLabel("Email")).toHaveValue("");
  });

  it("shows a toast if signing out has failed, and the account stays signed in", async () => {
    const page = await site.visit(PLAIN);
    await site.signUp(page.context());
    await page.goto("/");
    const menu = await openAccountMenu(page);
    await site.without("sessions", async () => {
      await menu.getByRole("button", { name: "Log out" }).click();
      await expectToast(page, "destructive", "Sign out Failed", "Something went wrong");
    });
    await page.goto("/");
    await expect(page.getByRole("banner").getByLabel("Account menu")).toBeVisible();
  });
});

describe("without JavaScript, a notice", () => {
  const COMING_SOON = [
    "Purchase Feature Coming Soon!",
    "Buying the book here is not yet implemented.",
  ];

  it("is shown on the page it was requested from", async () => {
    const page = await visit("/auth?tab=signup");
    await page.getByRole("button", { name: "Buy Now" }).click();
    await expectToast(page, "default", ...COMING_SOON);
    await expect(page).toHaveURL(`${site.origin}/auth?tab=signup`);
  });
});

describe("without JavaScript, a toast", () => {
  it("closes by its link", async () => {
    const page = await visit("/");
    await page.getByRole("button", { name: "Buy Now" }).click();
    await toastOf(page).getByRole("link", { name: "Close" }).click();
    await expect(toastOf(page)).toBeHidden();
    // the redirect loses nothing
    await expect(page.getByRole("heading", { level: 1 })).toBeInViewport();
  });

  /** The toast's animation: its duration, and whether it is running. */
  const clockOf = (toast: Locator) =>
    toast.evaluate((element) => {
      const [animation] = element.getAnimations();
      return {
        milliseconds: animation?.effect?.getTiming().duration,
        state: animation?.playState,
      };
    });
  const setClock = (toast: Locator, milliseconds: number) =>
    toast.evaluate((element, time) => {
      for (const animation of element.getAnimations()) animation.currentTime = time;
    }, milliseconds);

  it("closes without help after 5000 ms, also with reduced motion", async () => {
    const page = await visit("/", { ...PLAIN, reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Buy Now" }).click();
    const toast = toastOf(page);
    expect(await clockOf(toast)).toEqual({ milliseconds: 5_000, state: "running" });
    await setClock(toast, 4_800);
    await expect(toast).toBeVisible();
    await setClock(toast, 5_000);
    await expect(toast).toBeHidden();
  });

  it("stays while it contains the pointer or the focus", async () => {
    const page = await visit("/");
    await page.getByRole("button", { name: "Buy Now" }).click();
    const toast = toastOf(page);
    await toast.hover();
    expect(await clockOf(toast)).toMatchObject({ state: "paused" });
    await page.mouse.move(10, 300);
    expect(await clockOf(toast)).toMatchObject({ state: "running" });
    await toast.getByRole("link", { name: "Close" }).focus();
    expect(await clockOf(toast)).toMatchObject({ state: "paused" });
  });
});

describe("without JavaScript, the menus", () => {
  it("of an account opens and closes", async () => {
    const page = await site.visit(PLAIN);
    const { email } = await site.signUpAsMember(page.context());
    await page.goto("/");
    const menu = await openAccountMenu(page);
    await expect(menu.getByText(email, { exact: true })).toBeVisible();
    await expect(menu.locator(".menu-item")).toHaveText([
      `My Account ${email}`,
      "Members’ area",
      "Profile",
      "Log out",
    ]);
    await menu.getByLabel("Account menu").click();
    await expect(menu.getByText("My Account", { exact: true })).toBeHidden();
    await menu.getByLabel("Account menu").click();
    await menu.getByRole("link", { name: "Members’ area" }).click();
    await expect(page).toHaveURL(`${site.origin}/premium`);
  });

  it("of a phone opens and closes, and links to sections and pages", async () => {
    const page = await visit("/", PHONE);
    const menu = page.getByRole("banner").getByRole("navigation", { name: "Menu" });
    const toggle = page.getByRole("banner").locator("summary[aria-label=Menu]");
    await expect(menu).toBeHidden();
    await toggle.click();
    await expect(menu).toBeVisible();
    await toggle.click();
    await expect(menu).toBeHidden();

    await toggle.click();
    await menu.getByRole("link", { name: "Sign Up" }).click();
    await expect(page).toHaveURL(`${site.origin}/auth?tab=signup`);
    await toggle.click();
    await menu.getByRole("link", { name: "Reviews" }).click();
    await expect(page).toHaveURL(`${site.origin}/#reviews`);
    await expect(page.locator("#reviews h2")).toBeInViewport();
    await toggle.click();
    await menu.getByRole("button", { name: "Buy Now" }).click();
    await expect(toastOf(page)).toBeVisible();
  });
});
