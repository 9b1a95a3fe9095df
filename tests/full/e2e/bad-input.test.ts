import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { type Answer, type Sent, send, type Visitor } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { type Contents, changedTables, readContents } from "../../support/tables";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=edge";
const KB = 1024;

/** Headers of a browser that follows a link or sends a form. */
const NAVIGATION = { Accept: "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate" };

const raw = (type: string | null, body: string | Buffer): Sent => ({
  method: "POST",
  headers: type === null ? {} : { "Content-Type": type },
  body,
});

/** A part of a multipart body. */
const part = (disposition: string, value: string) =>
  `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;

/** Values that no field of any form accepts. */
const BAD_VALUES: Record<string, string> = {
  empty: "",
  "with a NUL": "reader\0@example.test",
  "with a line break": "reader@example.test\r\nBcc: other@example.test",
  overlong: `${"a".repeat(10_000)}@example.test`,
  "half a character": "reader\uD800@example.test",
  markup: "<script>alert(1)</script>@example.test",
  "many spaces": `${" ".repeat(20_000)}x`,
};

const FIELDS = ["email", "password", "token", "priceId", "notice", "redirectTo"] as const;

const withAll = (value: unknown) => Object.fromEntries(FIELDS.map((name) => [name, value]));

/** Bodies that no route may act on. */
const BAD_BODIES: Record<string, Sent> = {
  ...Object.fromEntries(
    Object.entries(BAD_VALUES).flatMap(([name, value]) => [
      [`a form, ${name}`, { form: withAll(value) as Record<string, string> }],
      [`JSON, ${name}`, { json: withAll(value) }],
    ]),
  ),
  nothing: raw(FORM, ""),
  "no type": raw(null, "email=reader@example.test"),
  "another type": raw("text/plain", "email=reader@example.test"),
  "fields sent twice": raw(
    FORM,
    FIELDS.map((name) => `${name}=one@example.test&${name}=two@example.test`).join("&"),
  ),
  "a broken percent sign": raw(FORM, "email=%E0%A4%A&password=%&token=%zz&notice=%"),
  "bytes that are no text": raw(FORM, Buffer.from([0x65, 0x3d, 0xff, 0xfe, 0x00, 0xc3, 0x28])),
  "very many fields": raw(FORM, "a=1&".repeat(15 * KB)),
  "JSON cut off": raw("application/json", '{"email":"reader@example'),
  "JSON null": raw("application/json", "null"),
  "a JSON list": raw("application/json", '[{"email":"reader@example.test"}]'),
  "JSON lists": { json: withAll(["one@example.test", "two@example.test"]) },
  "JSON objects": { json: withAll({ $gt: "", toString: 1 }) },
  "deeply nested JSON": raw("application/json", '{"a":'.repeat(10 * KB)),
  "multipart without a boundary": raw("multipart/form-data", part('name="email"', "a@b.test")),
  "multipart of noise": raw(MULTIPART, "\r\n--edg\r\n\r\n\r\n--edge--\0\r\n--edge"),
  "a part without a name": raw(MULTIPART, `${part("", "reader@example.test")}--edge--\r\n`),
  "a file for each field": raw(
    MULTIPART,
    `${FIELDS.map((name) => part(`name="${name}"; filename="../../etc/passwd"`, "a@b.test")).join("")}--edge--\r\n`,
  ),
  "100 KB of a field": { form: { email: "a".repeat(100 * KB) } },
};

/** Every path that accepts a form, and paths of pages, which accept none. */
const TARGETS = [
  "/auth/login",
  "/auth/signup",
  "/auth/forgot-password",
  "/auth/reset-password",
  "/logout",
  "/newsletter",
  "/newsletter/confirm",
  "/newsletter/unsubscribe",
  "/checkout",
  "/billing",
  "/billing/card",
  "/notice",
  "/webhooks/mail",
  "/webhooks/stripe",
  "/",
  "/?index",
  "/auth",
  "/premium",
  "/no/such/page",
];

/** Returns a quarter of the bodies, by turn; each body goes to every fourth target. */
const bodiesFor = (turn: number) =>
  Object.entries(BAD_BODIES).filter((_, index) => index % 4 === turn % 4);

let site: ProgramSite;
let before: Contents;

beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox", RATE_LIMIT_FACTOR: "100000" });
  before = await readContents(site.database);
});
afterAll(() => site?.close());

/** Returns the tables that were written to, except the counts of attempts. */
async function written(): Promise<string[]> {
  const changed = changedTables(before, await readContents(site.database));
  return changed.filter((table) => table !== "rate_limits");
}

/** A response's readable text. */
function readableText({ text }: Answer): string {
  return (
    text
      .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, "")
      .replace(/<[^>]*>/g, " ")
      // pages contain their own address for print
      .replaceAll(new URL(site.origin).host, "")
      .trim()
  );
}

/** Checks that a response is meant for people: no server error, no internals of the program, and some text. */
function expectReadableAnswer(answer: Answer, what: string, method = "POST") {
  const { status, headers, text } = answer;
  const words = readableText(answer);
  const shown = `${what}: ${status} ${headers.location ?? ""} ${words.slice(0, 300)}`;
  expect(status, shown).toBeGreaterThanOrEqual(200);
  expect(status, shown).toBeLessThan(500);
  expect(text.includes(process.cwd()) || /node_modules|file:\/\//.test(text), shown).toBe(false);
  expect(words).not.toMatch(/ at .*:\d+|\.server\b|\.[jt]sx?\b|routes\/|Error:|undefined|\[object/);
  if (headers.location !== undefined) {
    expect(headers.location, shown).toMatch(/^\/(?![/\\])/);
    expect(status, shown).toBeLessThan(400);
  } else if (method === "HEAD") {
    expect(text, shown).toBe("");
  } else if (headers["content-type"]?.startsWith("text/html")) {
    expect(text, shown).toMatch(/<title>[^<]{5,}<\/title>/);
    expect(text, shown).toMatch(/<h1[^>]*>(<[^>]*>)*\s*[^<\s]/);
    expect(text, shown).toContain('href="/"');
  } else if (headers["content-type"]?.startsWith("application/json")) {
    expect(JSON.parse(text), shown).toBeTypeOf("object");
  } else {
    expect(words, shown).toMatch(/\w{2,}/);
  }
}

/** Posts as a form or script of the site's pages does. */
function postTo(path: string, sent: Sent, cookie = ""): Promise<Answer> {
  const headers = { Origin: site.origin, "Sec-Fetch-Site": "same-origin", ...NAVIGATION };
  return send(site.origin + path, { cookie, ...sent, headers: { ...headers, ...sent.headers } });
}

describe("an invalid body", () => {
  it.each(TARGETS.map((path, turn) => ({ path, turn })))(
    "sent to $path gets a readable response and changes nothing",
    async ({ path, turn }) => {
      for (const [name, sent] of bodiesFor(turn)) {
        const answer = await postTo(path, sent);
        expectReadableAnswer(answer, `${name} to ${path}`);
        // no form may report success
        const cookies = answer.cookies.filter((cookie) => !/max-age=0/i.test(cookie));
        expect(
          cookies.filter((cookie) => !cookie.startsWith("flash=")),
          name,
        ).toEqual([]);
      }
      expect(await written()).toEqual([]);
    },
  );
});

describe("invalid forms of a signed-in visitor", () => {
  let visitor: Visitor;

  beforeAll(async () => {
    visitor = site.visitor();
    await visitor.signUp("muddled@example.test");
    before = await readContents(site.database);
  });

  it("change nothing", async () => {
    const paths = ["/checkout", "/billing", "/notice", "/auth/login", "/auth/signup"];
    for (const [turn, path] of paths.entries()) {
      for (const [name, sent] of bodiesFor(turn)) {
        expectReadableAnswer(await postTo(path, sent, visitor.cookie), `${name} to ${path}`);
      }
    }
    expect(await written()).toEqual([]);
    expect((await visitor.get("/")).text).toContain("muddled@example.test");
  });
});

describe("an invalid URL", () => {
  const LONG = "x".repeat(10 * KB);
  const PATHS = [
    "/%",
    "/%00",
    "/%2e%2e/%2e%2e/etc/passwd",
    "//",
    "//evil.example/",
    "/\\evil.example",
    "/%5C",
    "/%5C%5C",
    "/%5C%5Bevil/auth",
    "/auth/",
    "/AUTH",
    `/${LONG}`,
    `/?${LONG}`,
    `/?${"a=1&".repeat(2 * KB)}`,
    "/?%00=%00",
    "/?index&index&_data=root&_routes=",
    "/?_data=routes/_index",
    "/auth?tab=signup&tab=login",
    "/auth?tab=%E0%A4%A",
    `/auth?tab=${LONG}`,
    "/auth/forgot-password?sent=%00",
    "/auth/reset-password?token=%00",
    `/auth/reset-password?token=${LONG}`,
    "/newsletter/confirm?token=a.b.c",
    "/newsletter/unsubscribe?token=00000000-0000-4000-8000-000000000000.x",
    "/checkout/success?session_id=cs_test_%00",
    `/checkout/success?session_id=cs_test_${LONG}`,
    "/premium?_data=routes%2Fpremium",
    "/_root.data",
    "/auth.data?_routes=%00",
    "/premium.data?_routes=root,root,nothing",
    "/no/such/page.data",
    "/webhooks.data",
    "/__manifest",
    "/__manifest?version=1&p=/auth&p=//&p=%00",
    "/build/%00",
    "/favicon.ico/x",
    "/__proto__",
  ];

  it("gets a readable response", async () => {
    const others = ["HEAD", "OPTIONS"];
    for (const [index, path] of PATHS.entries()) {
      for (const method of ["GET", others[index % others.length]]) {
        const answer = await send(site.origin + path, { method, headers: NAVIGATION });
        const what = `${method} ${path.slice(0, 60)}`;
        // responses to Remix's own scripts are not pages and have no text
        if (/\.data|__manifest/.test(path)) expect(answer.status, what).toBeLessThan(500);
        else expectReadableAnswer(answer, what, method);
      }
    }
    expect(await written()).toEqual([]);
  });
});

describe("an invalid cookie", () => {
  const value = (text: string) => encodeURIComponent(Buffer.from(text).toString("base64"));
  const COOKIES = [
    "session=",
    "session=%E0%A4%A",
    "session=null",
    `session=${value('{"token":{}}')}.forged`,
    `session=${"x".repeat(8 * KB)}`,
    "session=a; session=b; session=c",
    "flash=%",
    `flash=${value('{"id":"1","toast":{"title":"Gotcha","variant":"default"},"email":null}')}`,
    `flash=${value('{"id":"1","toast":{"title":"Gotcha","variant":"default"},"email":null}')}.x`,
    "__proto__=1; constructor=2",
    `${"a=b; ".repeat(2 * KB)}c=d`,
    'session="quoted"; $Version=1',
    "session=\u00e9\u00ff",
  ];

  it("is ignored", async () => {
    const pages = ["/auth", "/premium", "/checkout/success", "/auth.data"];
    const forms = ["/logout", "/checkout", "/billing", "/newsletter"];
    for (const [turn, cookie] of COOKIES.entries()) {
      for (const path of ["/", pages[turn % pages.length]]) {
        const answer = await send(site.origin + path, { cookie, headers: NAVIGATION });
        expect(answer.status, `${cookie} to ${path}`).toBeLessThan(400);
        expect(answer.text, `${cookie} to ${path}`).not.toContain("Gotcha");
        if (path === "/") expect(answer.text, cookie).toContain("Log In");
      }
      const path = forms[turn % forms.length] ?? "";
      const answer = await postTo(path, { form: { email: "" } }, cookie);
      expectReadableAnswer(answer, `${cookie} to ${path}`);
    }
  });

  it("is one whose signature was made for another cookie", async () => {
    const visitor = site.visitor();
    await visitor.signUp("signed@example.test");
    await visitor.post("/notice", { form: { notice: "profile" } });
    const names = ["session", "flash", "known-browser"];
    for (const name of names) {
      for (const other of names.filter((each) => each !== name)) {
        const value = visitor.valueOf(other);
        expect(value).not.toBe("");
        const cookie = `${name}=${value}`;
        const page = await send(`${site.origin}/`, { cookie });
        expect(page.status).toBe(200);
        expect(page.text).toContain("Log In");
        expect(page.text).not.toContain("Feature not implemented");
        await expectReadableAnswer(
          await postTo("/auth/login", { form: { email: "signed@example.test" } }, cookie),
          cookie,
        );
      }
    }
    before = await readContents(site.database);
  });
});

describe("after all of these requests", () => {
  it("no error has been logged", () => {
    const lines = site.program.output().split("\n");
    expect(lines.filter((line) => /"level":[56]0|\n\s+at /.test(line))).toEqual([]);
  });

  it("the site still works", async () => {
    const visitor = site.visitor();
    await visitor.signUp("sensible@example.test");
    expect((await visitor.get("/")).text).toContain("sensible@example.test");
    const subscribed = await visitor.post("/newsletter", { json: { email: "kept@example.test" } });
    expect(JSON.parse(subscribed.text)).toMatchObject({ subscribed: true });
    const { priceId } = SANDBOX_STRIPE;
    const checkout = await visitor.post("/checkout", { json: { priceId } });
    expect(JSON.parse(checkout.text).url).toContain(site.program.sandboxOrigin);
  });
});
