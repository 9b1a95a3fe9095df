import {
  collidingNumber,
  type Filling,
  fill,
  HEAD_SIZE,
  type PathologicalRequest,
  request,
} from "./request";

const text = (start: string, filling: Filling, end = "") => fill(HEAD_SIZE, start, filling, end);

/** A page from the cache, and a file. */
const PATHS = ["/", "/favicon.ico"];

const ENCODINGS = [
  text("br,", " ", "x"),
  ...["a,", "br;q=0,", "b", "gzip;q=0;"].map((filling) => text("", filling)),
  text("br;q=0.", "1"),
  text("br;", " ", "q=0"),
];

const TAGS = [",", 'W/"a",', '"'].map((filling) => text("", filling));

const LISTS = [text("bytes=", "0-1,"), text("a", " ", "b"), text("", ";q=0,")];

/** Parts of addresses, lists of addresses and host names. */
const ADDRESSES = [
  text("http://", "xn--a."),
  text("http://[", ":"),
  text("for=", "1.2.3.4,"),
  text("a", " ", "b"),
  ...["1.", ",", ":"].map((filling) => text("", filling)),
];

const HOSTS = [
  ...["a.", "xn--a.", "1."].map((filling) => text("", filling)),
  text("[", ":", "]"),
  text("a@", "b"),
];

const NEGOTIATING = ["Range", "If-Modified-Since", "Accept"];

const READ = ["X-Forwarded-For", "X-Forwarded-Proto", "User-Agent", "Referer", "Authorization"];

/** Headers, against Node's parser, the guards, the caches, compression and the detection of the client's address. */
export function pathologicalHeaders(): PathologicalRequest[] {
  const header = (name: string, value: string, target: string) =>
    request(`${name} of ${value.slice(0, 12)}…${value.slice(-3)} for ${target}`, {
      target,
      headers: [[name, value]],
    });
  const posted = (name: string, value: string) =>
    request(`${name} of ${value.slice(0, 12)}…, posted`, {
      method: "POST",
      target: "/newsletter",
      headers: [
        [name, value],
        ["Content-Type", "application/x-www-form-urlencoded"],
      ],
      body: "email=a",
    });
  return [
    ...PATHS.flatMap((path) => [
      ...ENCODINGS.map((value) => header("Accept-Encoding", value, path)),
      ...TAGS.map((value) => header("If-None-Match", value, path)),
      ...NEGOTIATING.flatMap((name) => LISTS.map((value) => header(name, value, path))),
    ]),
    ...READ.flatMap((name) =>
      ADDRESSES.map((value) => header(name, value, "/auth/forgot-password")),
    ),
    ...["Origin", "Sec-Fetch-Site"].flatMap((name) =>
      ADDRESSES.map((value) => posted(name, value)),
    ),
    ...ADDRESSES.map((value) => header("Connection", `close, ${value}`, "/nothing")),
    ...HOSTS.map((value) => header("Host", value, "/")),
    ...many(),
    header("Authorization", text("Bearer ", " ", "x"), "/metrics"),
  ];
}

/** Many headers at once, and names and values of unusual shape. */
function many(): PathologicalRequest[] {
  const times = (count: number, name: (i: number) => string, value: string) =>
    Array.from({ length: count }, (_, i): [string, string] => [name(i), value]);
  return [
    request("the same header many times", { headers: times(1_900, () => "a", "b") }),
    request("many headers", { headers: times(1_700, (i) => `a${i}`, "b") }),
    request("folded headers", { target: "/nothing", headers: [["A", text("b", "\r\n b")]] }),
  ];
}

/** Cookie headers, with the site's names in them and without. */
export function pathologicalCookies(site: { cookie: string }): PathologicalRequest[] {
  const ofOurs = ["session", "flash"].flatMap((name) => [
    ...["%", "a.", "="].map((filling) => text(`${name}=`, filling)),
    text(`${name}=`, "%C3%A4", ".a"),
    text("", `${name}=a;`),
    text("", `x${name}=;`, `${name}=a`),
    text("", ` ${name} `, "=a"),
    text(`${name}="`, "W1td", '".a'),
  ]);
  const ofOthers: Filling[] = [
    ...[";", "=", "a=;", "__proto__=;"],
    (index) => `a${index}=;`,
    (index) => `${collidingNumber(index)}=;`,
  ];
  const cookies = [
    ...ofOurs,
    ...ofOthers.map((filling) => text("session=a;", filling)),
    text("a", " ", "=b;session=c"),
    text("a=", " ", "b;session=c"),
    text(`${site.cookie};`, "a=b;"),
  ];
  return ["/", "/auth/forgot-password"].flatMap((target) =>
    cookies.map((cookie, index) =>
      request(`cookie ${index}, ${cookie.slice(0, 12)}…${cookie.slice(-8)}, for ${target}`, {
        target,
        headers: [["Cookie", cookie]],
      }),
    ),
  );
}
