/** @type {import("../survivors.mjs").Explanation[]} */
export const explanations = [
  {
    file: "server/accept-encoding.server.ts",
    line: "accepted === undefined",
    why: 'equivalent: "undefined" is no encoding either',
  },
  {
    file: "server/accept-encoding.server.ts",
    line: /hit\b|MAX_HEADER_LENGTH|MAX_CACHED/,
    why: "equivalent: only how often a header is parsed, and how much memory that saves",
  },
  {
    file: "server/page-cache.server.ts",
    line: 'url = "/"',
    why: "equivalent: Node always gives a request its URL",
  },
  {
    file: "server/page-cache.server.ts",
    line: "> TIME_TO_LIVE_MS",
    replacement: />=/,
    why: "equivalent but for one millisecond",
  },
  {
    file: "server/page-cache.server.ts",
    line: "this.#generation++",
    why: "equivalent: any other number will do",
  },
  {
    file: "server/page-cache.server.ts",
    line: "cookie !== undefined",
    why: "equivalent: without a cookie header there is no cookie",
  },
  {
    file: "server/page-cache.server.ts",
    line: /compress(Brotli|Gzip)|params: \{/,
    why: "how small a page is sent, which `npm run bench` and the budgets in browsers measure",
  },
  {
    file: "server/page-cache.server.ts",
    line: "for (const [, attributes",
    why: "equivalent: a default that only satisfies the types",
  },
  {
    file: "server/static-files.server.ts",
    line: "readdirSync(",
    why: "equivalent: no encoding means UTF-8 as well",
  },
  {
    file: "server/cached-response.server.ts",
    line: "header === undefined",
    why: 'equivalent: "undefined" contains no ETag',
  },
  {
    file: "server/cached-response.server.ts",
    line: 'digest("base64url")',
    why: "equivalent: a longer ETag does as well",
  },
  {
    file: "server/cached-response.server.ts",
    line: "name?.toLowerCase()",
    why: "equivalent: only for the types, since every header has a name",
  },
  {
    file: "server/page-cache.server.ts",
    line: "if (oldest)",
    replacement: /^true$/,
    why: "equivalent: only for the types, since what is full has an oldest page",
  },
  {
    file: "server/page-cache.server.ts",
    line: 'kind: "cached"',
    why: "equivalent: any other name but that of a missing page will do",
  },
  {
    file: "server/prepared-response.server.ts",
    line: "socket.writableLength > 0",
    why: "equivalent: whoever has received all of it is waited for until the response closes, which it does at once",
  },
  {
    file: "server/prepared-response.server.ts",
    line: "second === this.#headSecond",
    replacement: /^false$/,
    why: "equivalent: only how often the date is written out",
  },
  {
    file: "server/prepared-response.server.ts",
    line: '#head = ""',
    why: "equivalent: replaced before it is read",
  },
  {
    file: "server/prepared-response.server.ts",
    line: 'typeof head !== "string"',
    replacement: /^false$/,
    why: "equivalent: only for the types, since no date is found in anything else",
  },
];
