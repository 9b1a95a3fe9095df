/**
 * Why mutants live on that no test notices, from the general to the particular. The first that fits counts;
 * `line` is found in the line that was changed, as it stands in the source.
 *
 * @typedef {{ file: string, line: string, mutator: string, replacement: string }} Change
 * @type {{ file?: string, line: string | RegExp, replacement?: RegExp, why: string }[]}
 */
const EXPLANATIONS = [
  {
    line: /\blog\(\)\.(debug|info|warn|error)\(/,
    replacement: /^\{\}$/,
    why: "what a log line says beside its message",
  },
  {
    line: /\[.*= "".*\] = .*\.split\(/,
    why: "equivalent: a default that only satisfies the types",
  },

  // newsletter
  {
    file: "newsletter/subscribe.server.ts",
    line: "?.confirmedAt === null",
    why: "only when the address is deleted between two queries",
  },
  {
    file: "newsletter/subscriber-token.server.ts",
    line: 'const [newest = ""]',
    why: "equivalent: a default that only satisfies the types",
  },

  // cache
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
    line: 'method === "HEAD"',
    why: "equivalent: Node sends no body in reply to HEAD",
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
];

/**
 * Why nothing notices a change, or null if nobody has said.
 *
 * @param {Change} change
 * @returns {string | null}
 */
export function explanationOf({ file, line, replacement }) {
  const found = EXPLANATIONS.find(
    (one) =>
      (one.file === undefined || file.endsWith(one.file)) &&
      (typeof one.line === "string" ? line.includes(one.line) : one.line.test(line)) &&
      (one.replacement === undefined || one.replacement.test(replacement)),
  );
  return found?.why ?? null;
}
