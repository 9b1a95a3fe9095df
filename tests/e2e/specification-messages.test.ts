import type { Page } from "playwright";
import { describe, it } from "vitest";
import { expect } from "../support/browser-expect";
import { type Account, siteForThisFile } from "../support/e2e-site";

const site = siteForThisFile({ sharesTab: true });

/** An address that is too long, which browsers do not check. */
const OVERLONG_EMAIL = `${"a".repeat(300)}@example.test`;

type Message = { title: string; description: string | null; destructive: boolean };

async function expectMessage(page: Page, { title, description, destructive }: Message) {
  const toast = page.locator(".toast");
  await expect(toast.locator(".toast-title")).toHaveText(title);
  if (description === null) await expect(toast.locator(".toast-description")).toHaveCount(0);
  else await expect(toast.locator(".toast-description")).toHaveText(description);
  await expect(toast).toHaveAttribute("data-variant", destructive ? "destructive" : "default");
}

const failure = (title: string, description: string): Message => ({
  title,
  description,
  destructive: true,
});
const success = (title: string, description: string | null = null): Message => ({
  title,
  description,
  destructive: false,
});

/** Aborts the browser's requests to a path, like a lost connection. */
async function cutOff(page: Page, path: string) {
  await page.route(
    ({ pathname }) => pathname === path,
    (route) => route.abort(),
  );
}

describe("Checkout: a toast titled", () => {
  const upgrade = (page: Page) => page.getByRole("button", { name: "Upgrade to Premium" }).click();

  /** The landing page, signed in. */
  async function openSignedIn(): Promise<Page> {
    const page = await site.visit();
    await site.signUp(page.context());
    return site.open("/", page);
  }

  it("'Authentication Required' when nobody is signed in", async () => {
    const page = await site.open("/");
    await upgrade(page);
    await expectMessage(
      page,
      failure("Authentication Required", "Please log in or sign up to upgrade."),
    );
  });

  it("'Checkout Error': 'User not authenticated.' if the session has ended since the page was loaded", async () => {
    const page = await openSignedIn();
    await page.context().clearCookies();
    await upgrade(page);
    await expectMessage(page, failure("Checkout Error", "User not authenticated."));
  });

  it("'Checkout Error': 'Error invoking function: …' when the payment service fails", async () => {
    const page = await openSignedIn();
    await site.sandbox("faults", { kind: "error", times: 0 });
    try {
      await upgrade(page);
      await expectMessage(
        page,
        failure(
          "Checkout Error",
          "Error invoking function: The payment service didn’t respond. Please try again.",
        ),
      );
    } finally {
      await site.sandbox("faults/clear");
    }
    // the button can be used again
    await upgrade(page);
    await page.waitForURL(`${site.sandboxOrigin}/**`);
  });

  it("'Checkout Error': 'Error invoking function: …' when the connection is lost", async () => {
    const page = await openSignedIn();
    await cutOff(page, "/checkout");
    await upgrade(page);
    await expectMessage(
      page,
      failure("Checkout Error", "Error invoking function: Failed to fetch"),
    );
  });
});

describe("Newsletter: a toast titled", () => {
  async function subscribe(page: Page, email: string) {
    await page.locator("#newsletter").getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Subscribe" }).click();
  }
  const problem = failure(
    "Uh oh! Something went wrong.",
    "There was a problem with your subscription.",
  );

  it("'🎉 Success!', and 'Uh oh! Something went wrong.' for the same address again", async () => {
    const page = await site.open("/");
    const email = site.newEmail();
    await subscribe(page, email);
    await expectMessage(
      page,
      success("🎉 Success!", "Thanks for subscribing! You're on the list."),
    );
    await subscribe(page, email.toUpperCase());
    await expectMessage(
      page,
      failure("Uh oh! Something went wrong.", "This email is already subscribed."),
    );
  });

  it("'Uh oh! Something went wrong.' for an invalid address", async () => {
    const page = await site.open("/");
    await subscribe(page, OVERLONG_EMAIL);
    await expectMessage(page, problem);
    await expect(page.locator("#newsletter").getByLabel("Email address")).toHaveValue(
      OVERLONG_EMAIL,
    );
  });

  it("'Uh oh! Something went wrong.' when the server fails", async () => {
    const page = await site.open("/");
    await site.without("subscribers", async () => {
      await subscribe(page, site.newEmail());
      await expectMessage(page, problem);
    });
  });

  it("'Uh oh! Something went wrong.' when the connection is lost", async () => {
    const page = await site.open("/");
    await cutOff(page, "/newsletter");
    await subscribe(page, site.newEmail());
    await expectMessage(page, problem);
  });
});

/** Calls a function of the page's auth context (as from `useAuth`), and returns its result. */
function callAuth(page: Page, call: "signIn" | "signUp", email: string, password: string) {
  return page.evaluate(
    ([call, email, password]) => {
      type Auth = Record<string, (email: string, password: string) => Promise<unknown>>;
      type Fiber = { return: Fiber | null; memoizedProps?: { value?: Auth } };
      const form = document.querySelector("main form") as unknown as Record<string, Fiber>;
      const key = Object.keys(form).find((name) => name.startsWith("__reactFiber$")) ?? "";
      for (let fiber = form[key] ?? null; fiber; fiber = fiber.return) {
        const auth = fiber.memoizedProps?.value;
        if (auth?.[call]) return auth[call](email, password);
      }
      throw new Error("No component above the form provides the auth context.");
    },
    [call, email, password] as const,
  );
}

describe("Auth: a toast titled", () => {
  async function submit(page: Page, { email, password }: Account) {
    const form = page.getByRole("tabpanel");
    await form.getByLabel("Email").fill(email);
    await form.getByLabel("Password", { exact: true }).fill(password);
    await form.getByRole("button", { name: /Log In|Create Account/ }).click();
  }
  const somebody = () => ({ email: site.newEmail(), password: "a long walk" });
  const logOut = async (page: Page) => {
    await page.getByRole("banner").getByLabel("Account menu").click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
  };

  it("'✅ Account Created!', then '👋 You've been signed out.', then '🎉 Welcome Back!'", async () => {
    const page = await site.open("/auth?tab=signup");
    const account = somebody();
    await submit(page, account);
    await expectMessage(
      page,
      success("✅ Account Created!", "Welcome! You have been successfully signed in."),
    );
    await logOut(page);
    await expectMessage(page, success("👋 You've been signed out."));
    await site.open("/auth", page);
    await submit(page, account);
    await expectMessage(page, success("🎉 Welcome Back!", "You've been successfully signed in."));
  });

  it("'Sign up Failed' with the reason", async () => {
    const page = await site.open("/auth?tab=signup");
    await submit(page, { email: OVERLONG_EMAIL, password: "a long walk" });
    await expectMessage(
      page,
      failure("Sign up Failed", "Unable to validate email address: invalid format"),
    );
  });

  it("'Sign up Failed' when the server fails", async () => {
    const page = await site.open("/auth?tab=signup");
    await site.without("users", async () => {
      await submit(page, somebody());
      await expectMessage(
        page,
        failure("Sign up Failed", "An unexpected error occurred. Please try again."),
      );
    });
  });

  it("'Sign up Failed' when the connection is lost", async () => {
    const page = await site.open("/auth?tab=signup");
    await cutOff(page, "/auth/signup");
    await submit(page, somebody());
    await expectMessage(
      page,
      failure("Sign up Failed", "An unexpected error occurred. Please try again."),
    );
  });

  it("'Sign up incomplete' for an address that has an account", async () => {
    const page = await site.visit();
    const { email } = await site.newAccount();
    await site.open("/auth?tab=signup", page);
    await submit(page, { email: email.toUpperCase(), password: "another one" });
    await expectMessage(
      page,
      failure(
        "Sign up incomplete",
        "This email is already in use but the user does not exist. Please try signing in.",
      ),
    );
    await expect(page).toHaveURL(`${site.origin}/auth?tab=signup`);
  });

  it("'Sign up incomplete', with 'User already exists.' as the call's result", async () => {
    const page = await site.visit();
    const { email } = await site.newAccount();
    await site.open("/auth?tab=signup", page);
    expect(await callAuth(page, "signUp", email, "another one")).toEqual({
      error: { message: "User already exists." },
    });
    await expect(page.locator(".toast-title")).toHaveText("Sign up incomplete");
    expect(await callAuth(page, "signIn", email, "not that one")).toEqual({
      error: { message: "Invalid login credentials" },
    });
    expect(await callAuth(page, "signIn", email, "a long walk")).toEqual({ error: null });
  });

  it("'Sign in Failed', the same for an unknown address and for a wrong password", async () => {
    const page = await site.visit();
    const { email } = await site.newAccount();
    await site.open("/auth", page);
    for (const account of [somebody(), { email, password: "not that one" }]) {
      await submit(page, account);
      await expectMessage(page, failure("Sign in Failed", "Invalid login credentials"));
    }
  });

  it("'Sign in Failed' when the server fails", async () => {
    const page = await site.open("/auth");
    await site.without("users", async () => {
      await submit(page, somebody());
      await expectMessage(page, failure("Sign in Failed", "Something went wrong"));
    });
  });

  it("'Sign in Failed' when the connection is lost", async () => {
    const page = await site.open("/auth");
    await cutOff(page, "/auth/login");
    await submit(page, somebody());
    await expectMessage(page, failure("Sign in Failed", "Something went wrong"));
  });

  it("'Sign out Failed' when the server fails, and the viewer stays signed in", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/", page);
    await site.without("sessions", async () => {
      await logOut(page);
      await expectMessage(page, failure("Sign out Failed", "Something went wrong"));
    });
    await site.open("/", page);
    await expect(page.getByRole("banner").getByLabel("Account menu")).toBeVisible();
  });

  it("'Sign out Failed' when the connection is lost", async () => {
    const page = await site.visit();
    await site.signUp(page.context());
    await site.open("/", page);
    await cutOff(page, "/logout");
    await logOut(page);
    await expectMessage(page, failure("Sign out Failed", "Something went wrong"));
    await expect(page.getByRole("banner").getByLabel("Account menu")).toBeVisible();
  });
});

describe("Notices: a toast titled", () => {
  const comingSoon = success(
    "Purchase Feature Coming Soon!",
    "Buying the book here is not yet implemented.",
  );

  it.each(["Buy Now", "Get Your Copy - $24.99"])(
    "'Purchase Feature Coming Soon!' on %s",
    async (name) => {
      const page = await site.open("/");
      await page.getByRole("button", { name }).click();
      await expectMessage(page, comingSoon);
    },
  );
});
