import {
  BODY_SIZE,
  collidingNumber,
  type Filling,
  fill,
  type PathologicalRequest,
  request,
} from "./request";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const MULTIPART = "multipart/form-data; boundary=x";

const text = (start: string, filling: Filling, end = "") => fill(BODY_SIZE, start, filling, end);

const FORM_PATHS = ["/newsletter", "/auth/login", "/auth/reset-password", "/checkout"];

const URLENCODED: Record<string, string> = {
  "a field again and again": text("", "a=b&"),
  "e-mails": text("password=abcdefgh&", "email=&"),
  tokens: text("", "token=&"),
  numbers: text("", (index) => `${index}&`),
  "colliding numbers": text("", (index) => `${collidingNumber(index)}&`),
  "percent signs": text("email=", "%"),
  NULs: text("email=", "%00"),
};

/** Texts on which matching, trimming, case conversion and normalization are slow. */
const TEXTS: Record<string, string> = {
  "letters around an at sign": `${"a".repeat(30_000)}@${"a".repeat(30_000)}`,
  labels: `a@${"a.".repeat(30_000)}!`,
  "at signs between letters": "a@".repeat(30_000),
  "spaces inside": `a${" ".repeat(60_000)}b`,
  "spaces around": `${" ".repeat(30_000)}a@b.test${" ".repeat(30_000)}`,
  "marks in the wrong order": `a${"\u0301\u0316".repeat(15_000)}@b.test`,
  "dotted capitals": `${"\u0130".repeat(30_000)}@b.test`,
  Hangul: `${"\u1100\u1161\u11a8".repeat(7_000)}@b.test`,
};

const REDIRECTS = ["/", "/a", "a", "\\", "//", "/%2f", " "];

const json = (filling: Filling) => `{${fill(BODY_SIZE - 10, "", filling)}"b":1}`;

const JSON_BODIES: Record<string, string> = {
  lists: text("", "["),
  "closed lists": "[".repeat(BODY_SIZE / 2) + "]".repeat(BODY_SIZE / 2),
  objects: text("", '{"a":'),
  fields: json((index) => `"a${index}":1,`),
  "a field again and again": json('"a":1,'),
  numbers: json((index) => `"${index}":1,`),
  "colliding numbers": json((index) => `"${collidingNumber(index)}":1,`),
  "sparse numbers": json((index) => `"${4_294_967_294 - index * 4_096}":1,`),
  __proto__: json('"__proto__":{},'),
  "a list of e-mails": `{"email":[${fill(65_000, "", '"",')}""]}`,
  "a long number": text('{"email":', "9", "}"),
  escapes: text('{"email":"', "\\u0301", '"}'),
  "an open text": text('{"email":"', "a"),
};

const NAMED = "--x\r\nContent-Disposition: form-data; name=";
const LAST = "\r\n--x--\r\n";

const PARTS: Record<string, string | { type: string; body: string }> = {
  "the same name": text("", `${NAMED}a\r\n\r\n\r\n`, LAST),
  "different names": text("", (index) => `${NAMED}"a${index}"\r\n\r\n\r\n`, LAST),
  files: text("", `${NAMED}"a"; filename="b"\r\n\r\n\r\n`, LAST),
  nothing: text("", "--x\r\n", LAST),
  "long near boundaries": {
    type: `multipart/form-data; boundary=${"x".repeat(70)}`,
    body: text(
      `--${"x".repeat(70)}\r\nContent-Disposition: form-data; name="a"\r\n\r\n`,
      `\r\n--${"x".repeat(69)}`,
      `\r\n--${"x".repeat(70)}--\r\n`,
    ),
  },
  headers: text(`${NAMED}"a"\r\n`, "A: b\r\n", `\r\n${LAST}`),
  "a long name": text(`${NAMED}"`, "a", `"\r\n\r\n${LAST}`),
  "a name of quotes": text(`${NAMED}"`, '\\"', `"\r\n\r\n${LAST}`),
  spaces: text("--x\r\nContent-Disposition:", " ", `form-data; name="a"\r\n\r\n${LAST}`),
  "a type of parameters": text(
    `${NAMED}"a"; filename="b"\r\nContent-Type: a/b`,
    ";a=b",
    `\r\n\r\n${LAST}`,
  ),
  "no end": text(`${NAMED}"a"\r\n\r\n`, "a"),
  ...Object.fromEntries(
    [
      fill(13_000, "multipart/form-data; boundary=", "a"),
      fill(13_000, "multipart/form-data", ";a=b"),
      fill(13_000, "multipart/form-data;", " ", "x"),
      fill(13_000, 'multipart/form-data; boundary="', '\\"'),
    ].map((type) => [`type ${type.slice(0, 33)}…`, { type, body: text("", "--\r\n") }]),
  ),
};

const SIGNATURES: Record<string, string> = {
  "many signatures": fill(15_000, "t=1,", "v1=a,"),
  "many signatures of now": fill(
    15_000,
    `t=${Math.floor(Date.now() / 1_000)},`,
    `v1=${"a".repeat(64)},`,
  ),
  "a long time": fill(15_000, "t=", "9", ",v1=a"),
};

/** Bodies of forms, JSON and webhooks, sent by a signed-in browser. */
export function pathologicalBodies(site: { cookie: string }): PathologicalRequest[] {
  const post = (path: string, name: string, type: string, body: string) =>
    request(`${name} to ${path}`, {
      method: "POST",
      target: path,
      headers: [
        ["Content-Type", type],
        ["Cookie", site.cookie],
      ],
      body,
    });
  const all = <Value>(
    paths: string[],
    values: Record<string, Value>,
    make: (path: string, name: string, value: Value) => PathologicalRequest,
  ) =>
    paths.flatMap((path) => Object.entries(values).map(([name, value]) => make(path, name, value)));

  return [
    ...all(FORM_PATHS, URLENCODED, (path, name, body) => post(path, `form of ${name}`, FORM, body)),
    ...all(["/newsletter", "/auth/login"], TEXTS, (path, name, email) =>
      post(
        path,
        `e-mail of ${name}`,
        JSON_TYPE,
        JSON.stringify({ email, password: "abcdefgh" }).slice(0, BODY_SIZE),
      ),
    ),
    ...all(["/auth/signup"], TEXTS, (path, name, password) =>
      post(
        path,
        `password of ${name}`,
        JSON_TYPE,
        JSON.stringify({ email: "a@b.test", password }).slice(0, BODY_SIZE),
      ),
    ),
    ...REDIRECTS.map((filling) =>
      post(
        "/notice",
        `redirect to ${filling}`,
        JSON_TYPE,
        JSON.stringify({ notice: "purchase", redirectTo: fill(30_000, "/", filling) }),
      ),
    ),
    ...all(["/newsletter", "/checkout"], JSON_BODIES, (path, name, body) =>
      post(path, `JSON of ${name}`, JSON_TYPE, body),
    ),
    ...all(["/newsletter"], PARTS, (path, name, part) =>
      typeof part === "string"
        ? post(path, `parts of ${name}`, MULTIPART, part)
        : post(path, `parts of ${name}`, part.type, part.body),
    ),
    ...Object.entries(SIGNATURES).map(([name, signature]) =>
      request(`webhook with ${name}`, {
        method: "POST",
        target: "/webhooks/stripe",
        headers: [["Stripe-Signature", signature]],
        body: text("", "["),
      }),
    ),
    ...chunked(),
  ];
}

/** Chunked bodies, whose chunks Node's parser passes on one by one. */
function chunked(): PathologicalRequest[] {
  const bodies = {
    "chunks of a byte": text("", "1\r\na\r\n", "0\r\n\r\n"),
    "many trailers": fill(15_000, "1\r\na\r\n0\r\n", "a: b\r\n", "\r\n"),
  };
  return Object.entries(bodies).flatMap(([name, body]) =>
    ["/newsletter", "/webhooks/stripe"].map((target) =>
      request(`${name} to ${target}`, {
        method: "POST",
        target,
        headers: [
          ["Content-Type", FORM],
          ["Transfer-Encoding", "chunked"],
        ],
        body,
      }),
    ),
  );
}
