import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../../support/browser-expect";
import { siteForThisFile } from "../../support/e2e-site";
import { holdRequests } from "../../support/held-requests";
import { expectFocusInSight, expectFocusKept, tabTo } from "../../support/keyboard";
import { expectToast } from "../../support/pages";

const site = siteForThisFile();

const press = (page: Page, key: string) => page.keyboard.press(key);

describe("with the keyboard alone", () => {
  it("the main user journey works, from signing up to managing the membership", async () => {
    const page = await site.open("/");
    const banner = page.getByRole("banner");
    const email = site.newEmail("typist");

    // the first stop skips the header
    await press(page, "Tab");
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
    await expectFocusInSight(page);
    await press(page, "Enter");
    await expect(page.getByRole("main")).toBeFocused();
    await press(page, "Tab");
    await expect(page.getByRole("button", { name: /^Get Your Copy/ })).toBeFocused();

    // the notice does not move the focus
    await press(page, "Space");
    await expectToast(page, "Purchase Feature Coming Soon!");
    await expect(page.getByRole("button", { name: /^Get Your Copy/ })).toBeFocused();

    // signs up, after switching to the other tab and back
    await tabTo(page, banner.getByRole("link", { name: "Sign Up" }), "Shift+Tab");
    await press(page, "Enter");
    await page.waitForURL("**/auth?tab=signup");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await tabTo(page, page.getByRole("tab", { name: "Sign Up" }));
    await press(page, "ArrowLeft");
    await expect(page.getByRole("tab", { name: "Login" })).toBeFocused();
    await expect(page.getByRole("tab", { selected: true })).toHaveText("Login");
    await expectFocusInSight(page);
    await press(page, "ArrowRight");
    await expect(page.getByRole("tab", { selected: true })).toHaveText("Sign Up");
    const form = page.getByRole("tabpanel");
    await tabTo(page, form.getByLabel("Email"));
    await page.keyboard.type(email);
    await tabTo(page, form.getByLabel("Password", { exact: true }));
    await page.keyboard.type("no mouse at all");
    await tabTo(page, form.getByRole("button", { name: "Show password" }));
    await press(page, "Space");
    await expect(form.getByLabel("Password", { exact: true })).toHaveAttribute("type", "text");
    await tabTo(page, form.getByRole("button", { name: "Create Account" }));
    await press(page, "Enter");
    await page.waitForURL(`${site.origin}/`);
    await expectToast(page, "✅ Account Created!");
    await expectFocusKept(page);

    // joins the newsletter
    const newsletter = page.locator("#newsletter");
    await tabTo(page, newsletter.getByLabel("Email address"));
    await page.keyboard.type(email);
    await press(page, "Enter");
    await expectToast(page, "🎉 Success!");
    await expectFocusKept(page);
    await expectFocusInSight(page);

    // upgrades, and pays on Stripe's own page
    await tabTo(page, page.getByRole("button", { name: "Upgrade to Premium" }), "Shift+Tab");
    await press(page, "Enter");
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    const session = /cs_test_\w+/.exec(page.url())?.[0];
    await site.sandbox(`sessions/${session}/pay`);
    await site.open(`/checkout/success?session_id=${session}`, page);

    // reads the members' area
    const main = page.getByRole("main");
    await tabTo(page, main.getByRole("link", { name: "Go to the members’ area" }));
    await press(page, "Enter");
    await page.waitForURL("**/premium");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();

    // reaches the page on which to cancel
    await tabTo(page, main.getByRole("button", { name: "Cancel membership" }));
    await press(page, "Enter");
    await page.waitForURL(`${site.sandboxOrigin}/**`);
    await site.open("/premium", page);

    // logs out by the avatar menu
    const avatar = banner.getByLabel("Account menu");
    const item = (name: string) => page.getByRole("menuitem", { name });
    await tabTo(page, avatar);
    await press(page, "Enter");
    await expect(item("My Account")).toBeFocused();
    await expectFocusInSight(page);
    await press(page, "ArrowDown");
    await expect(item("Members’ area")).toBeFocused();
    await press(page, "ArrowDown");
    await expect(item("Profile")).toBeFocused();
    await press(page, "End");
    await expect(item("Log out")).toBeFocused();
    await expectFocusInSight(page);
    await press(page, "Home");
    await expect(item("My Account")).toBeFocused();
    await press(page, "Escape");
    await expect(avatar).toBeFocused();
    await expect(item("Profile")).toHaveCount(0);
    await press(page, "Space");
    await expect(item("My Account")).toBeFocused();
    await press(page, "p");
    await expect(item("Profile")).toBeFocused();
    await press(page, "Enter");
    await expectToast(page, "Feature not implemented");
    await expect(avatar).toBeFocused();
    await press(page, "ArrowDown");
    await expect(item("My Account")).toBeFocused();
    await press(page, "End");
    await expect(item("Log out")).toBeFocused();
    await press(page, "Enter");
    await expectToast(page, "👋 You've been signed out.");
    await page.waitForURL(`${site.origin}/`);
    await expectFocusKept(page);
  });

  it("F8 reaches a toast, which closes without losing the focus", async () => {
    const page = await site.open("/");
    await tabTo(page, page.getByRole("banner").getByRole("button", { name: "Buy Now" }));
    await press(page, "Enter");
    await expectToast(page, "Purchase Feature Coming Soon!");
    await expect(page.locator(".toast[data-state=open]")).toBeVisible();
    await press(page, "F8");
    await tabTo(page, page.locator(".toast").getByRole("button", { name: "Close" }));
    await press(page, "Enter");
    await expect(page.locator(".toast")).toHaveCount(0);
    await expectFocusKept(page);
  });

  it("the tabs are one tab stop; arrow keys, Home and End move among them", async () => {
    const page = await site.open("/auth");
    const tab = (name: string) => page.getByRole("tab", { name });
    const expectSelected = async (name: string) => {
      await expect(tab(name)).toBeFocused();
      await expect(page.getByRole("tab", { selected: true })).toHaveText(name);
      const panel = page.getByRole("tabpanel");
      await expect(panel).toHaveAccessibleName(name);
      const { id } = await panel.evaluate((element) => ({ id: element.id }));
      await expect(tab(name)).toHaveAttribute("aria-controls", id);
    };
    await tabTo(page, tab("Login"));
    await expect(tab("Sign Up")).toHaveAttribute("tabindex", "-1");
    // both directions wrap around
    for (const key of ["ArrowLeft", "End", "ArrowUp"]) {
      await press(page, key);
      await expectSelected("Sign Up");
    }
    for (const key of ["ArrowRight", "Home"]) {
      await press(page, key);
      await expectSelected("Login");
    }
    await press(page, "Shift+Tab");
    await expect(page.getByRole("link", { name: "Back to Home" })).toBeFocused();
    await press(page, "Tab");
    await expectSelected("Login");
  });

  it("a key press that triggers hydration leaves the page working", async () => {
    const page = await site.visit({ viewport: { width: 360, height: 740 } });
    await page.addInitScript(() => {
      const add = document.addEventListener.bind(document);
      document.addEventListener = (type: string, ...rest: unknown[]) => {
        add(type, ...(rest as [EventListener]));
        // React listens from now on, and has not hydrated any element yet
        if (type !== "keydown") return;
        document.addEventListener = add;
        queueMicrotask(() => {
          const toggle = document.querySelector<HTMLElement>("summary[aria-label=Menu]");
          toggle?.click();
          toggle?.focus();
          toggle?.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
        });
      };
    });
    await site.open("/", page);
    const menu = page.locator("details.mobile-menu");
    expect(await menu.getAttribute("open")).not.toBeNull();
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("open")).toBeNull();
    await expect(page.getByRole("banner").locator("summary[aria-label=Menu]")).toBeFocused();
  });

  it("the account menu keeps the focus when it is hydrated", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/", page);
    const avatar = page.getByRole("banner").getByLabel("Account menu");
    const focusAtTheSwap = page.evaluate(
      () =>
        new Promise<string | null | undefined>((resolve) => {
          const header = document.querySelector("header");
          const observer = new MutationObserver(() => {
            if (header?.querySelector("details.account-menu")) return;
            observer.disconnect();
            resolve(document.activeElement?.getAttribute("aria-label"));
          });
          if (header) observer.observe(header, { childList: true, subtree: true });
        }),
    );
    await tabTo(page, avatar);
    expect(await focusAtTheSwap).toBe("Account menu");
    await expect(avatar).toBeFocused();
  });

  it("the account menu focuses its first item, even if opened before its code has loaded", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/", page);
    // from now on the page requests only the menu's code
    const menu = await holdRequests(page, ({ pathname }) => pathname.startsWith("/build/"));
    const banner = page.getByRole("banner");
    await tabTo(page, banner.getByLabel("Account menu"));
    await press(page, "Enter");
    await expect(banner.locator("details.account-menu")).toHaveAttribute("open");
    menu.release();
    await expect(page.getByRole("menuitem", { name: "My Account" })).toBeFocused();
    await press(page, "Escape");
    await expect(banner.getByLabel("Account menu")).toBeFocused();
  });

  it("the mobile menu is opened, tabbed through, closed and used at 360 px", async () => {
    const page = await site.visit({ viewport: { width: 360, height: 740 } });
    await site.signUp(page.context());
    await site.open("/", page);
    const menu = page.getByRole("banner").getByRole("navigation", { name: "Menu" });
    const toggle = page.getByRole("banner").locator("summary[aria-label=Menu]");

    await tabTo(page, toggle);
    await press(page, "Enter");
    await expect(menu).toBeVisible();
    for (const name of ["About", "Preview", "Author", "Reviews"]) {
      await press(page, "Tab");
      await expect(menu.getByRole("link", { name })).toBeFocused();
      await expectFocusInSight(page);
    }
    await press(page, "Escape");
    await expect(menu).toBeHidden();
    await expect(toggle).toBeFocused();

    await press(page, "Space");
    await tabTo(page, menu.getByRole("button", { name: "Buy Now" }));
    await press(page, "Enter");
    await expectToast(page, "Purchase Feature Coming Soon!");
    await expect(toggle).toBeFocused();
    await expect(menu).toBeHidden();

    await press(page, "Enter");
    await tabTo(page, menu.getByRole("link", { name: "Reviews" }));
    await press(page, "Enter");
    await expect(page.locator("#reviews")).toBeFocused();
    await expect(menu).toBeHidden();

    await tabTo(page, toggle, "Shift+Tab");
    await press(page, "Enter");
    await tabTo(page, menu.getByRole("button", { name: "Log out" }));
    await press(page, "Enter");
    await expectToast(page, "👋 You've been signed out.");
    await expectFocusKept(page);
  });
});
