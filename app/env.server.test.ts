import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { OperatorError } from "~db/operator-error";
import { inheritedSockets, parseEnvironment, SANDBOX_STRIPE } from "./env.server";

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

  it("runs the local Stripe on the next port and points Stripe's client at it", () => {
    const settings = parseEnvironment({ PAYMENTS: "sandbox", PORT: "4100" });
    expect(settings.SANDBOX).toEqual({
      port: 4101,
      origin: "http://localhost:4101",
      latencyMs: 0,
    });
    expect(settings.STRIPE?.apiBase).toBe("http://127.0.0.1:4101");
  });

  it("counts the site's name with and without www. as one, beside the aliases it is given", () => {
    const aliasesOf = (variables: Record<string, string>) => [
      ...parseEnvironment(variables).PUBLIC_ALIASES,
    ];
    expect(aliasesOf({})).toEqual([]);
    expect(aliasesOf({ PUBLIC_URL: "https://book.example" })).toEqual(["www.book.example"]);
    expect(aliasesOf({ PUBLIC_URL: "https://www.book.example:8443" })).toEqual(["book.example"]);
    expect(aliasesOf({ PUBLIC_URL: "https://www.example" })).toEqual([]);
    expect(
      aliasesOf({
        PUBLIC_URL: "https://book.example",
        PUBLIC_ALIASES: "old.example, https://Bücher.example,203.0.113.7,[2001:db8::1]",
      }),
    ).toEqual([
      "old.example",
      "xn--bcher-kva.example",
      "203.0.113.7",
      "[2001:db8::1]",
      "www.book.example",
    ]);
  });

  describe("of secrets in files", () => {
    const folder = mkdtempSync(join(tmpdir(), "golden-path-secrets-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    const fileOf = (content: string) => {
      const file = join(folder, "secret");
      writeFileSync(file, content);
      return file;
    };
    const secret = "d8f1c07b2a9e4f6355aa".repeat(2).slice(0, 39);

    it.each([
      ["SESSION_SECRET", secret, ({ SESSION_SECRET }) => SESSION_SECRET?.[0]],
      ["METRICS_TOKEN", secret, ({ METRICS_TOKEN }) => METRICS_TOKEN],
      ["SMTP_URL", "smtp://a:b@mail.test:587", ({ SMTP_URL }) => SMTP_URL],
      ["DATABASE_URL", "postgres://a:b@db.test/book", ({ DATABASE_URL }) => DATABASE_URL],
      ["STRIPE_SECRET_KEY", "rk_test_1", ({ STRIPE_API }) => STRIPE_API?.secretKey],
    ] satisfies [string, string, (settings: ReturnType<typeof parseEnvironment>) => unknown][])(
      "reads %s from the file that its name with _FILE names",
      (name, value, read) => {
        const parse = (content: string) =>
          parseEnvironment(
            { [`${name}_FILE`]: fileOf(content), MAIL_FROM: "hello@mail.test" },
            { partialStripe: true },
          );
        for (const lineBreak of ["", "\n", "\r\n"])
          expect(read(parse(value + lineBreak))).toBe(value);
        expect(parse(value).WARNINGS.filter((each) => each.includes(name))).toEqual([]);
      },
    );

    it("ignores the file if the secret itself is set, and says so", () => {
      const settings = parseEnvironment({
        METRICS_TOKEN: secret,
        METRICS_TOKEN_FILE: fileOf("another"),
      });
      expect(settings.METRICS_TOKEN).toBe(secret);
      expect(settings.WARNINGS).toContain(
        "METRICS_TOKEN_FILE is ignored, because METRICS_TOKEN is set too.",
      );
    });

    it.each([
      ["that is missing", () => join(folder, "none"), /^METRICS_TOKEN_FILE: found a value of/],
      ["that is a folder", () => folder, /^METRICS_TOKEN_FILE:.*the path of a readable file/],
      ["that is empty", () => fileOf("\n"), /^METRICS_TOKEN_FILE:.*the path of a readable file/],
      ["of two lines", () => fileOf(`${secret}\n${secret}`), /^METRICS_TOKEN:.*line breaks/],
      ["of a typed secret", () => fileOf("ab".repeat(20)), /^METRICS_TOKEN:.*random/],
    ])("refuses a file %s, without printing what is in it", (_what, file, pattern) => {
      const found = problems({ METRICS_TOKEN_FILE: file() });
      expect(found).toEqual([expect.stringMatching(pattern)]);
      expect(found.join()).not.toContain(secret);
    });

    it("does not print a secret that was written in place of its file", () => {
      expect(problems({ SESSION_SECRET_FILE: secret }).join()).not.toContain(secret);
    });
  });

  it("takes several session and webhook secrets, newest first", () => {
    const secret = "a secret of the tests that is long enough";
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
    ["PUBLIC_URL", "https://example.com/shop"],
    ["DATABASE_URL", "postgres://user:100%sure@localhost/x"],
    ["SESSION_SECRET", "short"],
    ["PAYMENTS", "paypal"],
    ["STRIPE_SECRET_KEY", "pk_test_1"],
    ["SMTP_URL", "http://localhost"],
    ["LOG_LEVEL", "loud"],
    ["PORT", "0x10"],
    ["STRIPE_SANDBOX_LATENCY_MS", "60001"],
    ["TRUST_PROXY", "proxy.internal"],
    ["TRUST_PROXY", "0.0.0.0/0"],
    ["PUBLIC_ALIASES", "example.net:8080"],
    ["HOST", "127.0.0.1:3000"],
    ["PUBLIC_URL", "https://:hunter2@example.com"],
    ["STRIPE_API_BASE", "https://api.stripe.com/v1"],
    ["MAIL_FROM", "a@example.com, b@example.com"],
    ["MAIL_FROM", "hello@example.com\r\nBcc: all@example.com"],
    ["MAIL_RATE", "0"],
    ["DKIM_SELECTOR", "mail._domainkey.example.com"],
    ["DKIM_KEY_FILE", "/no/such/file.pem"],
    ["BACKUP_EVERY", "32d"],
    ["BACKUP_S3_URL", "https://key:secret@s3.example.com/bucket"],
    ["SESSION_SECRET", "s".repeat(32)],
  ])("names %s, what was found and what is wanted when it is '%s'", (name, value) => {
    const lines = problems({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: found .+, wanted .+\\.$`));
  });

  it("does not print what a secret holds", () => {
    for (const name of ["SESSION_SECRET", "STRIPE_SECRET_KEY", "DATABASE_URL", "METRICS_TOKEN"]) {
      expect(problems({ [name]: "hunter2" }).join()).not.toContain("hunter2");
    }
    const [problem] = problems({ BACKUP_S3_SECRET_ACCESS_KEY: "a hunter2" });
    expect(problem).toMatch(/^BACKUP_S3_SECRET_ACCESS_KEY: found a value of 9 characters/);
  });

  it("takes proxies as a number, or as addresses and networks", () => {
    expect(parseEnvironment({ TRUST_PROXY: "2" }).TRUST_PROXY).toBe(2);
    expect(parseEnvironment({ TRUST_PROXY: "192.0.2.1, 10.0.0.0/8,2001:db8::/32" })).toMatchObject({
      TRUST_PROXY: ["192.0.2.1", "10.0.0.0/8", "2001:db8::/32"],
    });
  });

  it("names whom to tell of a weakness as addresses that can be followed", () => {
    const { SECURITY_CONTACT } = parseEnvironment({
      SECURITY_CONTACT: "security@example.com, mailto:help@example.com, https://example.com/report",
    });
    expect(SECURITY_CONTACT).toEqual([
      "mailto:security@example.com",
      "mailto:help@example.com",
      "https://example.com/report",
    ]);
  });

  // 0.1.0 took MAIL_FROM and SECURITY_CONTACT so
  it("takes addresses with accents before the @, and warns of them", () => {
    const { WARNINGS, ...settings } = parseEnvironment({
      SMTP_URL: "smtp://mail.example",
      MAIL_FROM: "Jo\u0308rg <Jo\u0308rg@münchen.example>",
      MAIL_REPLY_TO: "用户@example.com",
      MAIL_BOUNCE_ADDRESS: "bounces@münchen.example",
      OPERATOR_EMAIL: "jörg@example.com",
      SECURITY_CONTACT: "mailto:jörg@münchen.example",
    });
    expect(settings).toMatchObject({
      MAIL_FROM: "Jo\u0308rg <jörg@xn--mnchen-3ya.example>",
      MAIL_REPLY_TO: "用户@example.com",
      OPERATOR_EMAIL: "jörg@example.com",
      SECURITY_CONTACT: ["mailto:j%C3%B6rg@xn--mnchen-3ya.example"],
    });
    const warned = WARNINGS.filter((each) => each.includes("SMTPUTF8"));
    expect(warned.map((each) => each.split(" ")[0])).toEqual([
      "MAIL_FROM",
      "MAIL_REPLY_TO",
      "OPERATOR_EMAIL",
    ]);
    for (const OPERATOR_EMAIL of ["jö\u200brg@example.com", "jörg@ü@example.com", "ö"]) {
      expect(problems({ OPERATOR_EMAIL })).toEqual([
        expect.stringMatching(/^OPERATOR_EMAIL: found/),
      ]);
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

/** By what a start is stopped for: the names of the settings. */
const stoppedFor = (variables: Record<string, string>) =>
  problems(variables).map((line) => line.split(":")[0]);

describe("the local Stripe", () => {
  const sandbox = (variables: Record<string, string> = {}) =>
    stoppedFor({ PAYMENTS: "sandbox", ...variables });

  it("keeps to this machine unless it is told otherwise", () => {
    expect(parseEnvironment({ PAYMENTS: "sandbox" }).HOST).toBe("localhost");
    expect(parseEnvironment({}).HOST).toBeUndefined();
  });

  it.each<[string, string]>([
    ["HOST", "0.0.0.0"],
    ["HOST", "::"],
    ["HOST", "192.168.1.5"],
    ["PUBLIC_URL", "https://book.example"],
    ["PUBLIC_URL", "http://192.168.1.5:3000"],
    ["PUBLIC_URL", "https://localhost.book.example"],
  ])("is not opened to others by %s=%s without the word for it", (name, value) => {
    expect(sandbox({ [name]: value })).toEqual([name]);
    const variables = { PAYMENTS: "sandbox", [name]: value, ALLOW_PUBLIC_SANDBOX: "true" };
    expect(parseEnvironment(variables).WARNINGS.join()).toContain("anyone can become a member");
  });

  it.each<[string, string]>([
    ["STRIPE_SECRET_KEY", "sk_live_1"],
    ["STRIPE_SECRET_KEY", "rk_live_1"],
    ["STRIPE_PUBLISHABLE_KEY", "pk_live_1"],
  ])("does not start beside a live key, whatever else is said: %s=%s", (name, value) => {
    expect(sandbox({ [name]: value })).toEqual([name]);
    expect(sandbox({ [name]: value, ALLOW_PUBLIC_SANDBOX: "true" })).toEqual([name]);
  });

  it("lends its published secrets to no real shop", () => {
    const real = {
      STRIPE_SECRET_KEY: "sk_test_1",
      STRIPE_PRICE_ID: "price_1",
      STRIPE_WEBHOOK_SECRET: "whsec_1",
    };
    const { secretKey, priceId, webhookSecret } = SANDBOX_STRIPE;
    expect(stoppedFor(real)).toEqual([]);
    expect(stoppedFor({ ...real, STRIPE_SECRET_KEY: secretKey })).toEqual(["STRIPE_SECRET_KEY"]);
    expect(stoppedFor({ ...real, STRIPE_PRICE_ID: priceId })).toEqual(["STRIPE_PRICE_ID"]);
    const forged = { ...real, STRIPE_WEBHOOK_SECRET: `whsec_1,${webhookSecret}` };
    expect(stoppedFor(forged)).toEqual(["STRIPE_WEBHOOK_SECRET"]);
    // not even where another program plays Stripe, if others can reach the site
    const played = { ...forged, STRIPE_API_BASE: "http://127.0.0.1:3001" };
    expect(stoppedFor(played)).toEqual(["STRIPE_WEBHOOK_SECRET"]);
    expect(stoppedFor({ ...played, HOST: "localhost" })).toEqual([]);
  });
});

describe("the settings of backups", () => {
  it("take hours and days as an interval", () => {
    const interval = (BACKUP_EVERY: string) =>
      parseEnvironment({ BACKUP_EVERY, BACKUP_DIR: "/backups" }).BACKUP_EVERY;
    expect([interval("24h"), interval("31d")]).toEqual([86_400_000, 2_678_400_000]);
  });

  it("make up a bucket, or none", () => {
    expect(parseEnvironment({}).BACKUP_S3).toBeNull();
    const bucket = {
      BACKUP_S3_URL: "https://s3.example.com/bucket/golden-path/",
      BACKUP_S3_ACCESS_KEY_ID: "id",
      BACKUP_S3_SECRET_ACCESS_KEY: "secret/+=",
    };
    expect(parseEnvironment(bucket).BACKUP_S3).toEqual({
      url: "https://s3.example.com/bucket/golden-path",
      region: "us-east-1",
      accessKeyId: "id",
      secretAccessKey: "secret/+=",
    });
  });
});

describe("the key that signs mail", () => {
  const directory = mkdtempSync(join(tmpdir(), "golden-path-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  function keyFile(name: string, key: KeyObject): string {
    const file = join(directory, name);
    writeFileSync(file, key.export({ type: "pkcs8", format: "pem" }));
    return file;
  }

  it("is read from its file, and signs for the domain of MAIL_FROM unless another one is set", () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const set = {
      MAIL_FROM: "The Golden Path <hello@book.example>",
      DKIM_SELECTOR: "mail",
      DKIM_KEY_FILE: keyFile("good.pem", privateKey),
    };
    expect(parseEnvironment(set).DKIM).toEqual({
      domain: "book.example",
      selector: "mail",
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }),
    });
    const other = parseEnvironment({ ...set, DKIM_DOMAIN: "mail.book.example" });
    expect(other.DKIM?.domain).toBe("mail.book.example");
    // mail servers and DNS know an international domain by its ASCII form
    const international = parseEnvironment({
      ...set,
      MAIL_FROM: "Hallo@bücher.example <Hallo@bücher.example>",
      MAIL_BOUNCE_ADDRESS: "\u200bbounces@BÜCHER.example",
      OPERATOR_EMAIL: "me@xn--bcher-kva.example",
    });
    expect(international).toMatchObject({
      DKIM: { domain: "xn--bcher-kva.example" },
      MAIL_FROM: "hallo@xn--bcher-kva.example <hallo@xn--bcher-kva.example>",
      MAIL_BOUNCE_ADDRESS: "bounces@xn--bcher-kva.example",
      OPERATOR_EMAIL: "me@xn--bcher-kva.example",
    });
    expect(international.WARNINGS.join()).not.toContain("MAIL_BOUNCE_ADDRESS");
    expect(parseEnvironment({}).DKIM).toBeNull();
  });

  it("has to be an RSA key of at least 1024 bits, beside a selector", () => {
    const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength }).privateKey;
    const { privateKey: elliptic } = generateKeyPairSync("ed25519");
    const wrong = [keyFile("short.pem", rsa(768)), keyFile("elliptic.pem", elliptic)];
    for (const DKIM_KEY_FILE of wrong) {
      const [problem] = problems({ DKIM_SELECTOR: "mail", DKIM_KEY_FILE });
      expect(problem).toMatch(/^DKIM_KEY_FILE: found '.*', wanted .*RSA private key/);
    }
    const [problem] = problems({ DKIM_KEY_FILE: keyFile("good-too.pem", rsa(1024)) });
    expect(problem).toMatch(/^DKIM_SELECTOR: found nothing/);
  });
});

describe("settings that do not go together", () => {
  const keys = { STRIPE_PRICE_ID: "price_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };

  it.each([
    [
      { ...keys, STRIPE_SECRET_KEY: "sk_test_1", STRIPE_PUBLISHABLE_KEY: "pk_live_1" },
      "STRIPE_PUBLISHABLE_KEY",
    ],
    [
      { ...keys, STRIPE_SECRET_KEY: "rk_live_1", STRIPE_PUBLISHABLE_KEY: "pk_test_1" },
      "STRIPE_PUBLISHABLE_KEY",
    ],
    [
      { ...keys, STRIPE_SECRET_KEY: "sk_live_1", STRIPE_API_BASE: "https://stripe.example" },
      "STRIPE_API_BASE",
    ],
    [{ SMTP_URL: "smtp://mail.example" }, "MAIL_FROM"],
    [{ SMTP_URL: "smtp://mail.example", MAIL_FROM: "Book <hello@localhost>" }, "MAIL_FROM"],
    [{ BACKUP_EVERY: "1d" }, "BACKUP_DIR"],
    [{ BACKUP_DIR: "/data/content", DATA_DIR: "/data" }, "BACKUP_DIR"],
    [{ BACKUP_DIR: "/book/backups", CONTENT_DIR: "/book" }, "BACKUP_DIR"],
    [
      { BACKUP_S3_URL: "https://s3.example.com/bucket", BACKUP_S3_SECRET_ACCESS_KEY: "secret" },
      "BACKUP_S3_ACCESS_KEY_ID",
    ],
    [{ BACKUP_S3_ACCESS_KEY_ID: "id" }, "BACKUP_S3_URL"],
    [{ BACKUP_S3_SECRET_ACCESS_KEY: "secret" }, "BACKUP_S3_URL"],
    [{ DKIM_SELECTOR: "mail" }, "DKIM_KEY_FILE"],
    [{ DKIM_DOMAIN: "book.example" }, "DKIM_DOMAIN"],
    [{ HSTS_INCLUDE_SUBDOMAINS: "true" }, "HSTS_INCLUDE_SUBDOMAINS"],
    [{ PUBLIC_ALIASES: "example.net" }, "PUBLIC_ALIASES"],
    [
      { PUBLIC_ALIASES: "example.net,book.example", PUBLIC_URL: "https://book.example" },
      "PUBLIC_ALIASES",
    ],
    [
      { HSTS_INCLUDE_SUBDOMAINS: "true", PUBLIC_URL: "http://book.example" },
      "HSTS_INCLUDE_SUBDOMAINS",
    ],
  ])("stop the start: %o", (variables, name) => {
    expect(stoppedFor(variables as unknown as Record<string, string>)).toEqual([name]);
  });

  it.each([
    [{ PUBLIC_URL: "http://book.example" }, /PUBLIC_URL is http/],
    [{ PUBLIC_URL: "https://book.example" }, /TRUST_PROXY is not set/],
    [{ PUBLIC_URL: "http://book.example", RATE_LIMIT_FACTOR: "1000" }, /RATE_LIMIT_FACTOR/],
    [{ DATABASE_URL: "postgres://u:hunter2@db.example.com/book" }, /DATABASE_URL .*encryption/],
    [{ DATABASE_URL: "postgres://u:hunter2@8.8.8.8/book?sslmode=disable" }, /DATABASE_URL/],
    [{ DATABASE_URL: "postgres://u:p@8.8.8.8/book?ssl=true&sslmode=disable" }, /DATABASE_URL/],
    [{}, /SMTP_URL is not set/],
    [
      {
        SMTP_URL: "smtp://u:hunter2@mail.example.com?ignoreTLS=true",
        MAIL_FROM: "hello@example.com",
      },
      /SMTP_URL .*encryption/,
    ],
    [
      {
        SMTP_URL: "smtps://u:hunter2@mail.example.com",
        MAIL_FROM: "hello@book.example",
        MAIL_BOUNCE_ADDRESS: "bounces@relay.example",
      },
      /MAIL_BOUNCE_ADDRESS has another domain/,
    ],
    [{ STRIPE_PUBLISHABLE_KEY: "pk_test_1" }, /STRIPE_PUBLISHABLE_KEY is set and not used/],
    [{ PAYMENTS: "sandbox", STRIPE_PRICE_ID: "price_1" }, /STRIPE_PRICE_ID is set and not used/],
    [{ MAIL_POSTAL_ADDRESS: "1 hunter2 Lane # the shop" }, /MAIL_POSTAL_ADDRESS contains ' #'/],
    [{ METRICS_TOKEN: "hunter2$$hunter2hunter2" }, /METRICS_TOKEN contains '\$\$'/],
    [{ METRICS_TOKEN: '"hunter2 and no second quote' }, /METRICS_TOKEN has a quote at one end/],
    [
      { SMTP_URL: "smtp://hunter2:@mail.example.com", MAIL_FROM: "hello@example.com" },
      /SMTP_URL has a user with an empty password/,
    ],
    [{ SMTP_HOST: "mail.example.com" }, /SMTP_HOST is set, but is not a setting/],
  ])("are told at the start: %o", (variables, warning) => {
    const { WARNINGS } = parseEnvironment(variables as unknown as Record<string, string>);
    expect(WARNINGS.filter((text) => warning.test(text))).toHaveLength(1);
    expect(WARNINGS.join()).not.toContain("hunter2");
  });

  it("are not told of where all is well", () => {
    const { WARNINGS, MISSING } = parseEnvironment({
      PUBLIC_URL: "https://book.example",
      TRUST_PROXY: "1",
      DATABASE_URL: "postgres://u:p@db.example.com/book?sslmode=verify-full",
      SMTP_URL: "smtps://u:p@mail.example.com",
      MAIL_FROM: "The Golden Path <hello@book.example>",
      MAIL_BOUNCE_ADDRESS: "bounces@mail.book.example",
      STRIPE_SECRET_KEY: "sk_live_1",
      STRIPE_PUBLISHABLE_KEY: "pk_live_1",
      STRIPE_PRICE_ID: "price_1",
      STRIPE_WEBHOOK_SECRET: "whsec_1",
      SECURITY_CONTACT: "security@book.example",
      HSTS_INCLUDE_SUBDOMAINS: "true",
    });
    expect(WARNINGS).toEqual([]);
    expect(MISSING).toEqual([]);
  });
});

describe("sockets that systemd passes on", () => {
  it.each([
    [{}, []],
    [{ LISTEN_PID: "42", LISTEN_FDS: "2" }, [3, 4]],
    // meant for another process, such as the one that started this one
    [{ LISTEN_PID: "41", LISTEN_FDS: "1" }, []],
    [{ LISTEN_FDS: "1" }, []],
  ])("of %o are %o", (variables, expected) => {
    expect(inheritedSockets(variables, 42)).toEqual(expected);
  });
});
