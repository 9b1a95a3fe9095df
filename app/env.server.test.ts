import { describe, expect, it } from "vitest";
import { OperatorError } from "~db/operator-error";
import { parseEnvironment } from "./env.server";

function problems(variables: Record<string, string>): string[] {
  try {
    parseEnvironment(variables);
  } catch (error) {
    if (error instanceof OperatorError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("the environment", () => {
  it("needs nothing: everything has a default", () => {
    const settings = parseEnvironment({});
    expect(settings).toMatchObject({
      PORT: 3000,
      PUBLIC_URL: "http://localhost:3000",
      PAYMENTS: "stripe",
      STRIPE: null,
      SANDBOX: null,
      TRUST_PROXY: 0,
      LOG_LEVEL: "info",
    });
  });

  it("counts an empty variable as unset", () => {
    expect(parseEnvironment({ PORT: "", DATABASE_URL: " " }).PORT).toBe(3000);
  });

  it("runs the sandbox on the next port and points Stripe's client at it", () => {
    const settings = parseEnvironment({ PAYMENTS: "sandbox", PORT: "4100" });
    expect(settings.SANDBOX).toEqual({ port: 4101, origin: "http://localhost:4101" });
    expect(settings.STRIPE?.apiBase).toBe("http://127.0.0.1:4101");
  });

  it("takes several session and webhook secrets, newest first", () => {
    const secret = "s".repeat(32);
    const settings = parseEnvironment({
      SESSION_SECRET: `${secret}1, ${secret}2`,
      STRIPE_SECRET_KEY: "sk_test_1",
      STRIPE_PRICE_ID: "price_1",
      STRIPE_WEBHOOK_SECRET: "whsec_new,whsec_old",
    });
    expect(settings.SESSION_SECRET).toEqual([`${secret}1`, `${secret}2`]);
    expect(settings.STRIPE?.webhookSecrets).toEqual(["whsec_new", "whsec_old"]);
  });

  it.each([
    ["PORT", "eighty"],
    ["PORT", "70000"],
    ["PUBLIC_URL", "example.com"],
    ["PUBLIC_URL", "https://example.com/shop"],
    ["DATABASE_URL", "mysql://localhost/x"],
    ["SESSION_SECRET", "short"],
    ["PAYMENTS", "paypal"],
    ["STRIPE_SECRET_KEY", "pk_test_1"],
    ["STRIPE_WEBHOOK_SECRET", "secret"],
    ["SMTP_URL", "http://localhost"],
    ["TRUST_PROXY", "-1"],
    ["NEWSLETTER_DOUBLE_OPT_IN", "yes"],
    ["RATE_LIMIT_FACTOR", "0"],
    ["METRICS_TOKEN", "short"],
    ["LOG_LEVEL", "loud"],
  ])("names %s, what was found and what is wanted when it is '%s'", (name, value) => {
    const lines = problems({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: found .+, wanted .+\\.$`));
  });

  it("says one line for each bad variable", () => {
    expect(problems({ PORT: "x", LOG_LEVEL: "loud", TRUST_PROXY: "many" })).toHaveLength(3);
  });

  it("does not print what a secret holds", () => {
    for (const name of ["SESSION_SECRET", "STRIPE_SECRET_KEY", "DATABASE_URL", "METRICS_TOKEN"]) {
      expect(problems({ [name]: "hunter2" }).join()).not.toContain("hunter2");
    }
  });

  it("names the Stripe variables that are missing beside those that are set", () => {
    const lines = problems({ STRIPE_SECRET_KEY: "sk_test_1" });
    expect(lines.map((line) => line.split(":")[0])).toEqual([
      "STRIPE_PRICE_ID",
      "STRIPE_WEBHOOK_SECRET",
    ]);
  });
});
