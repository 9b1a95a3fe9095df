import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../support/browser-expect";
import { siteForThisFile } from "../support/e2e-site";
import { send } from "../support/http-client";
import { expectToast } from "../support/pages";

const site = siteForThisFile({ sharesTab: true });

const PHOTO_HOST = "https://images.unsplash.com/";

/** Expects the landing page, recognized by what no other page has. */
async function expectLandingPage(page: Page) {
  await expect(page).toHaveURL(`${site.origin}/`);
  await expect(page.getByRole("heading", { level: 1, name: "The Golden Path" })).toBeVisible();
  await expect(page.locator("#purchase")).toBeVisible();
}

/** Expects a section to be scrolled to the top of the window, just under the header. */
async function expectScrolledTo(page: Page, id: string) {
  await expect(page).toHaveURL(`${site.origin}/#${id}`);
  await expect
    .poll(async () => (await page.locator(`#${id}`).boundingBox())?.y ?? -1)
    .toBeLessThan(110);
  expect((await page.locator(`#${id}`).boundingBox())?.y).toBeGreaterThan(0);
}

describe("the landing page ('/')", () => {
  it("has its sections in order, between header and footer", async () => {
    const page = await site.landingPage();
    const parts = page.locator("header.site-header, main section, footer");
    const found = await parts.evaluateAll((elements) =>
      elements.map((element) => ({
        name: element.matches("section")
          ? element.id || element.getAttribute("aria-labelledby")
          : element.localName,
        top: element.getBoundingClientRect().top,
      })),
    );
    expect(found.map(({ name }) => name)).toEqual([
      "header",
      "hero-title",
      "about",
      "preview",
      "author",
      "reviews",
      "purchase",
      "newsletter",
      "footer",
    ]);
    expect(found.map(({ top }) => top)).toEqual(found.map(({ top }) => top).sort((a, b) => a - b));
  });

  it("opens with the book: title, tagline, two buttons, rating, readers, badge and image", async () => {
    const page = await site.landingPage();
    const hero = page.getByRole("region", { name: "The Golden Path" });
    await expect(hero.getByRole("heading", { level: 1 })).toHaveText("The Golden Path");
    await expect(hero.getByText(/^A calm and practical guide/)).toBeVisible();
    await expect(hero.getByRole("button", { name: "Get Your Copy - $24.99" })).toBeVisible();
    await expect(hero.getByText("4.9/5", { exact: true })).toBeVisible();
    await expect(hero.getByText("10,000+ readers transformed", { exact: true })).toBeVisible();
    await expect(hero.getByText("Bestseller", { exact: true })).toBeVisible();
    const photo = hero.getByRole("img", { name: /forest path/ });
    expect(await photo.getAttribute("src")).toContain(PHOTO_HOST);
    await expect(hero.getByRole("link", { name: "Read Preview" })).toBeVisible();
  });

  it("scrolls from 'Read Preview' to the preview", async () => {
    const page = await site.open("/");
    await page.getByRole("link", { name: "Read Preview" }).click();
    await expectScrolledTo(page, "preview");
  });

  it("describes the book on three cards", async () => {
    const page = await site.landingPage();
    const cards = page.locator("#about").getByRole("listitem");
    await expect(cards.getByRole("heading")).toHaveText([
      "Proven Methods",
      "Real Stories",
      "Actionable Steps",
    ]);
    for (const text of await cards.getByRole("paragraph").allTextContents()) {
      expect(text.length).toBeGreaterThan(40);
    }
  });

  it("previews an excerpt of chapter 1 and blurbs of chapters 2 to 4", async () => {
    const page = await site.landingPage();
    const preview = page.locator("#preview");
    const excerpt = preview.getByRole("article");
    await expect(excerpt.getByText("Chapter 1", { exact: true })).toBeVisible();
    const words = (await excerpt.textContent())?.split(/\s+/) ?? [];
    expect(words.length).toBeGreaterThan(200);
    await expect(preview.getByRole("listitem")).toHaveText([
      /^Chapter 2.{40,}/,
      /^Chapter 3.{40,}/,
      /^Chapter 4.{40,}/,
    ]);
  });

  it("introduces the author with a biography and a photograph", async () => {
    const page = await site.landingPage();
    const author = page.getByRole("region", { name: "Maren Ashdown" });
    await expect(author).toHaveId("author");
    await expect(author).toContainText("The Golden Path");
    const photo = author.getByRole("img", { name: /Maren Ashdown/ });
    expect(await photo.getAttribute("src")).toContain(PHOTO_HOST);
  });

  it("quotes three readers, 4.9/5 from 2,847 reviews", async () => {
    const page = await site.landingPage();
    const section = page.locator("#reviews");
    await expect(section.getByText("4.9/5 from 2,847 reviews", { exact: true })).toBeVisible();
    const reviews = section.getByRole("figure");
    await expect(reviews).toHaveCount(3);
    for (const review of await reviews.all()) {
      await expect(review.getByRole("blockquote")).toHaveText(/.{40,}/);
      await expect(review.getByRole("img", { name: /^Rated [1-5] out of 5 stars$/ })).toBeVisible();
      // name, role
      await expect(review.locator("figcaption")).toHaveText(/^\S+ \S+, .+/);
    }
  });

  it("offers the premium subscription in the section 'purchase'", async () => {
    const page = await site.landingPage();
    const section = page.locator("section#purchase");
    await expect(section.getByText("$9.99", { exact: true })).toBeVisible();
    await expect(section.getByText("per month, cancel anytime", { exact: true })).toBeVisible();
    await expect(section.getByRole("button", { name: "Upgrade to Premium" })).toBeEnabled();
    for (const what of [/place kept/, /Notes, highlights and search/, /e-book/, /podcast/]) {
      await expect(section.getByText(what)).toBeVisible();
    }
    await expect(section.getByRole("img", { name: /^A chapter on a large screen/ })).toBeVisible();
    // what is not open yet says so
    await expect(section.getByText(/It opens later\.$/)).toBeVisible();
    await expect(section.getByText("The members’ community")).toHaveCount(0);
  });

  it("takes newsletter addresses under the heading 'Stay Connected'", async () => {
    const page = await site.landingPage();
    const section = page.getByRole("region", { name: "Stay Connected" });
    await expect(section.getByRole("heading")).toHaveText("Stay Connected");
    const email = section.getByLabel("Email address");
    await expect(email).toHaveAttribute("type", "email");
    await expect(email).toHaveAttribute("required");
    await expect(section.getByRole("button", { name: "Subscribe" })).toBeEnabled();
  });

  it("ends with quick links, support labels that do nothing and contact details", async () => {
    const page = await site.landingPage();
    const footer = page.getByRole("contentinfo");
    const links = footer.getByRole("navigation", { name: "Quick Links" }).getByRole("link");
    await expect(links).toHaveText([
      "About",
      "Preview",
      "Author",
      "Reviews",
      "Premium",
      "Newsletter",
    ]);
    for (const link of await links.all()) {
      const target = new URL((await link.getAttribute("href")) ?? "", page.url());
      await expect(page.locator(target.hash)).toBeVisible();
    }
    for (const label of ["FAQ", "Shipping Info", "Returns", "Contact Us"]) {
      await expect(footer.getByText(label, { exact: true })).toBeVisible();
      await expect(footer.getByRole("link", { name: label })).toHaveCount(0);
      await expect(footer.getByRole("button", { name: label })).toHaveCount(0);
    }
    await expect(footer.locator("address")).toContainText("hello@goldenpath.example");
  });
});

describe("the header", () => {
  it("scrolls to the sections on About, Preview, Author and Reviews, also from another page", async () => {
    const page = await site.open("/");
    const banner = page.getByRole("banner");
    for (const name of ["About", "Preview", "Author", "Reviews"]) {
      const link = banner.getByRole("navigation", { name: "Main" }).getByRole("link", { name });
      await link.click();
      await expectScrolledTo(page, name.toLowerCase());
      await expect(link).toHaveAttribute("aria-current", "location");

      await banner.getByRole("link", { name: "Log In" }).click();
      await expect(page).toHaveURL(`${site.origin}/auth`);
      await link.click();
      await expectScrolledTo(page, name.toLowerCase());
    }
  });

  it("has the brand, and shows visitors Log In and Sign Up", async () => {
    const page = await site.open("/");
    const banner = page.getByRole("banner");
    await expect(banner.getByRole("button", { name: "Buy Now" })).toBeVisible();
    await expect(banner.getByLabel("Account menu")).toHaveCount(0);
    await banner.getByRole("link", { name: "Log In" }).click();
    await expect(page).toHaveURL(`${site.origin}/auth`);
    await banner.getByRole("link", { name: "Sign Up" }).click();
    await expect(page).toHaveURL(`${site.origin}/auth?tab=signup`);
    await banner.getByRole("link", { name: "The Golden Path" }).click();
    await expectLandingPage(page);
  });

  it("shows the avatar menu instead when signed in: My Account, e-mail, Profile, Log out", async () => {
    const page = await site.visit();
    const { email } = await site.signUp(page.context(), "zoe");
    await site.open("/", page);
    const banner = page.getByRole("banner");
    await expect(banner.getByRole("link", { name: "Log In" })).toHaveCount(0);
    await expect(banner.getByRole("link", { name: "Sign Up" })).toHaveCount(0);
    const avatar = banner.getByLabel("Account menu");
    // the fallback of the avatar: the first letter of the e-mail, uppercase
    await expect(avatar).toHaveText("Z");

    await avatar.click();
    await expect(
      banner.getByText("My Account", { exact: true }).filter({ visible: true }),
    ).toHaveCount(1);
    await expect(banner.getByText(email, { exact: true }).filter({ visible: true })).toHaveCount(1);
    await expect(page.getByRole("menuitem")).toHaveText([
      `My Account ${email}`,
      "Profile",
      "Log out",
    ]);

    await page.getByRole("menuitem", { name: "Profile" }).click();
    await expectToast(page, "Feature not implemented");

    // the account's own picture takes the letter's place
    await site.givePicture(email, "/icon-192.png");
    await site.open("/", page);
    const picture = avatar.locator("img");
    await expect(picture).toHaveAttribute("src", "/icon-192.png");
    await expect(picture).toBeVisible();
  });
});

describe("the mobile menu", () => {
  const PHONE = { viewport: { width: 360, height: 740 } };

  /** Expects these links and buttons in the menu, and none of them to be visible while it is closed. */
  async function expectMenu(page: Page, items: { links: string[]; buttons: string[] }) {
    const banner = page.getByRole("banner");
    const toggle = banner.getByLabel("Menu", { exact: true }).first();
    const menu = banner.getByRole("navigation", { name: "Menu" });
    await expect(menu).toBeHidden();
    await toggle.click();
    await expect(menu).toBeVisible();
    await expect(menu.getByRole("link")).toHaveText(items.links);
    await expect(menu.getByRole("button")).toHaveText(items.buttons);
    await toggle.click();
    await expect(menu).toBeHidden();
    await toggle.click();
    return menu;
  }

  it("opens and closes, and has a visitor's items, then an account's", async () => {
    const page = await site.visit(PHONE);
    await site.open("/", page);
    const menu = await expectMenu(page, {
      links: ["About", "Preview", "Author", "Reviews", "Log In", "Sign Up"],
      buttons: ["Buy Now"],
    });
    await menu.getByRole("button", { name: "Buy Now" }).click();
    await expectToast(page, "Purchase Feature Coming Soon!");
    await expect(menu).toBeHidden();

    await page.getByRole("banner").getByLabel("Menu", { exact: true }).first().click();
    await menu.getByRole("link", { name: "Reviews" }).click();
    await expectScrolledTo(page, "reviews");
    await expect(menu).toBeHidden();

    const { email } = await site.signUp(page.context());
    await site.open("/", page);
    await expectMenu(page, {
      links: ["About", "Preview", "Author", "Reviews", `My Account ${email}`],
      buttons: ["Buy Now", "Profile", "Log out"],
    });
    await expect(menu.getByText("My Account", { exact: true })).toBeVisible();
    await expect(menu.getByText(email, { exact: true })).toBeVisible();
    await menu.getByRole("button", { name: "Log out" }).click();
    await expectToast(page, "👋 You've been signed out.");
    await expectLandingPage(page);
  });
});

describe("the account page ('/auth')", () => {
  it("has the tabs Login, which is the default, and Sign Up, and a link 'Back to Home'", async () => {
    const page = await site.open("/auth");
    await expect(page.getByRole("tab")).toHaveText(["Login", "Sign Up"]);
    await expect(page.getByRole("tab", { selected: true })).toHaveText("Login");
    await expect(page.getByRole("tabpanel")).toHaveCount(1);
    await page.getByRole("link", { name: "Back to Home" }).click();
    await expectLandingPage(page);
  });

  it.each([
    { name: "Login", path: "/auth", submit: "Log In" },
    { name: "Sign Up", path: "/auth?tab=signup", submit: "Create Account" },
  ])("opens at the tab $name by its address, with its rules", async ({ name, path, submit }) => {
    const page = await site.open(path);
    await expect(page.getByRole("tab", { selected: true })).toHaveText(name);
    const form = page.getByRole("tabpanel", { name });
    const email = form.getByLabel("Email");
    await expect(email).toHaveAttribute("type", "email");
    await expect(email).toHaveAttribute("required");
    const password = form.getByLabel("Password", { exact: true });
    await expect(password).toHaveAttribute("type", "password");
    await expect(password).toHaveAttribute("required");
    await expect(password).toHaveAttribute("minlength", "6");
    await expect(form.getByRole("button", { name: submit })).toBeEnabled();
  });

  it("redirects to '/' when already signed in", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/auth", page);
    await expectLandingPage(page);
  });
});

describe("the premium area ('/premium')", () => {
  it("greets a member by e-mail, and has 'Start Reading' and three cards", async () => {
    const page = await site.visit();
    const { email } = await site.signUpAsMember(page.context());
    await site.open("/premium", page);
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { level: 1 })).toContainText(email);
    await expect(main.getByRole("listitem").getByRole("heading")).toHaveText([
      "Full Chapter Access",
      "Exclusive Content",
      "Private Community",
    ]);
    // the way on comes first, and nothing is sold
    await expect(main.getByRole("link").first()).toHaveText("Begin");
    await expect(
      main.getByText("Twelve chapters, about 48 minutes", { exact: true }),
    ).toBeVisible();
    const tools = main.getByRole("navigation", { name: "Your library" });
    await expect(tools.getByRole("link")).toHaveText(["E-book", "Podcast", "Notes", "Search"]);
    await expect(page.getByRole("button", { name: "Buy Now", includeHidden: true })).toHaveCount(0);
    await main.getByRole("link", { name: "Start Reading" }).click();
    await expectLandingPage(page);
    await expect(page.getByRole("banner").getByRole("button", { name: "Buy Now" })).toBeVisible();
  });

  it("is the landing page for a visitor, and for an account without a membership", async () => {
    const page = await site.open("/premium");
    await expectLandingPage(page);
    await site.signUp(page.context());
    await site.open("/premium", page);
    await expectLandingPage(page);
  });
});

describe("the title of the page", () => {
  const TITLES = {
    "/": "The Golden Path · A book for finding your way",
    "/auth": "Log In · The Golden Path",
    "/auth?tab=signup": "Sign Up · The Golden Path",
    "/auth/forgot-password": "Forgot your password? · The Golden Path",
    "/checkout/cancelled": "Checkout canceled · The Golden Path",
    "/billing/card": "Payment card · The Golden Path",
    "/no/such/page": "Page not found · The Golden Path",
  };

  const titleOf = (html: string) => /<title>([^<]*)<\/title>/.exec(html)?.[1];

  it.each(Object.entries(TITLES))("at '%s' is '%s'", async (path, title) => {
    expect(titleOf((await send(site.origin + path)).text)).toBe(title);
  });

  it("is that of the members' area and of the outcome of a purchase", async () => {
    const context = (await site.visit()).context();
    await site.signUpAsMember(context);
    for (const [path, title] of [
      ["/premium", "Members’ area · The Golden Path"],
      ["/checkout/success", "Thank you · The Golden Path"],
    ] as const) {
      expect(titleOf(await (await context.request.get(path)).text())).toBe(title);
    }
  });

  it("follows the tab and the page without a page load", async () => {
    const page = await site.open("/");
    await page.getByRole("banner").getByRole("link", { name: "Log In" }).click();
    await expect(page).toHaveTitle(TITLES["/auth"]);
    await page.getByRole("tab", { name: "Sign Up" }).click();
    await expect(page).toHaveTitle(TITLES["/auth?tab=signup"]);
    await page.getByRole("link", { name: "Back to Home" }).click();
    await expect(page).toHaveTitle(TITLES["/"]);
  });
});
