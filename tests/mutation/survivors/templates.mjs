/** @type {import("../survivors.mjs").Explanation[]} */
export const explanations = [
  {
    file: "server/page-template.server.ts",
    line: /names\.get\(text\) \?\? ""|ESCAPES\[character\] \?\? ""/,
    why: "equivalent: a default that only satisfies the types",
  },
  {
    file: "server/page-template.server.ts",
    line: "Buffer.from(value) : value",
    why: "equivalent: a copy of the bytes",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: /derivedValue\(values, name\) \?\? ""/,
    why: "equivalent: a default that only satisfies the types",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: "initial + 1",
    why: "equivalent: any other character will do, but for one in 6,400",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: "other !== undefined && !texts.has(text)",
    replacement: /^true$/,
    why: "equivalent: a text without another is not replaced",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: "!placeholders.has(text)",
    replacement: /true/,
    why: "equivalent: which of the names of one value stands for it",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: 'typeof value !== "object" || Object.getPrototypeOf(value)',
    why: "equivalent: what is no object has another prototype as well",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: 'let key = ""',
    why: "equivalent: all keys begin with the same",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: /"base64"/,
    why: "equivalent: another way to write a digest",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: /configurable: true|writable: true/,
    why: "equivalent: a copy is only read",
  },
  {
    file: "server/stand-in-viewer.server.ts",
    line: /known !== undefined|digest === undefined|MAX_DIGESTS|text\.length < LONG/,
    why: "equivalent: only how often a digest is computed, and how much memory that saves",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: /ids\.at\(-1\) \?\? ""|context\.nonce \?\? ""|inData\(text\) \?\? ""|root\?\.viewer|route\?\.module|#routes\[id\]\?\.|one && other|oldest !== undefined|template\?\.fill/,
    why: "equivalent: a default that only satisfies the types",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: /text === undefined \?/,
    why: "equivalent: the names in a template are those of its values",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: /"base64"/,
    why: "equivalent: another way to write a digest, and data begin with a brace, JSON of headers with a bracket",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: "#generation++",
    why: "equivalent: any other number will do",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: /return \{ templates: null, headers/,
    replacement: /^\{\}$/,
    why: "equivalent: no templates are none, and then headers are not asked for",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: "first?.headers ?? new Headers()",
    why: "equivalent: without the first there are no templates",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: "loaded.value instanceof Response",
    why: "equivalent: a response is no plain data either",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: 'const loaded: ReadPage["loaded"] = []',
    why: "equivalent: no route has an id like it",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: 'const headers: ReadPage["headers"] = []',
    why: "equivalent: all keys hold the same",
  },
  {
    file: "server/viewer-pages.server.ts",
    line: "JSON.stringify(text).slice(1, -1)",
    why: "equivalent: with the quotes around them, which stand in the data as well",
  },
];
