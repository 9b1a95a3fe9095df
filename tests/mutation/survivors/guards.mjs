/** @type {import("../survivors.mjs").Explanation[]} */
export const explanations = [
  {
    file: "http/request-body.server.ts",
    line: "request.body?.getReader()",
    why: "equivalent: without a body nothing is read, by either path",
  },
  {
    file: "http/request-body.server.ts",
    line: "reader?.cancel()",
    why: "equivalent: it is called only while there is a reader",
  },
  {
    file: "http/request-body.server.ts",
    line: "} catch {",
    why: "equivalent: what is no JSON is no JSON object either",
  },
  {
    file: "http/request-body.server.ts",
    line: "chunks > maxChunks",
    replacement: />=/,
    why: "one chunk in two thousand",
  },
  {
    file: "http/request-body.server.ts",
    line: /lengthOf\(request\) > (most|MAX_DROPPED)/,
    replacement: />=/,
    why: "one byte in a megabyte, when the client announces it",
  },
  {
    file: "http/request-body.server.ts",
    line: 'const headers = { "Content-Type"',
    replacement: /Stryker/,
    why: "equivalent: what has been found to be multipart has a content type",
  },
  {
    file: "http/request-body.server.ts",
    line: '?.split(";")[0]?.trim()',
    why: "equivalent: a text that is split has a first part",
  },
  {
    file: "http/request-body.server.ts",
    line: /end > bytes\.byteLength|const larger = /,
    why: "equivalent but for how often the buffer grows, and by how much",
  },
  {
    file: "http/request-body.server.ts",
    line: /const contentType = |const mediaType = /,
    why: "equivalent: no content type and an unknown one are rejected alike",
  },
  {
    file: "server/bad-client.server.ts",
    line: 'error.code ?? ""',
    why: "equivalent: no code is not in the table either",
  },
  {
    file: "server/client-address.server.ts",
    line: /\?\? "unknown"|\?\? ""\) \?\? socket/,
    why: "equivalent: no address is found in any other text either",
  },
  {
    file: "server/client-address.server.ts",
    line: "if (forwarded === undefined) return socket;",
    why: "equivalent: an empty list reports no address either",
  },
  {
    file: "server/client-address.server.ts",
    line: '[forwarded].flat().join(",")',
    why: "equivalent: Node has joined the header's lines already",
  },
  {
    file: "server/client-address.server.ts",
    line: "const address = /^",
    why: "equivalent: what the looser pattern finds must still be an address",
  },
  {
    file: "server/client-address.server.ts",
    line: "< WARNING_INTERVAL_MS",
    replacement: /<=/,
    why: "equivalent but for one millisecond",
  },
  {
    file: "server/request-guards.server.ts",
    line: /request\.method \?\? "GET"|request\.url \?\? ""/,
    why: "equivalent: Node always gives a request its method and URL",
  },
  {
    file: "server/request-guards.server.ts",
    line: 'host = "" } = headers',
    why: "equivalent: a request without Host has been rejected before",
  },
  {
    file: "server/request-guards.server.ts",
    line: /path\.includes\("%"\)|host === ownHost/,
    why: "equivalent: a shortcut, whose answer is found without it too",
  },
  {
    file: "server/request-guards.server.ts",
    line: "} catch {",
    why: "equivalent: undefined counts as false",
  },
  {
    file: "server/request-guards.server.ts",
    line: /own\.publicUrl !== PUBLIC_URL|let own = /,
    why: "equivalent: it is put together again, or for the first time",
  },
  {
    file: "server/client-address.server.ts",
    line: '.exec(text)?.[1] ?? "")',
    replacement: /Stryker/,
    why: "equivalent: any other text is no address either",
  },
  {
    file: "server/request-host.server.ts",
    line: "const seen: string[] = []",
    replacement: /Stryker/,
    why: "equivalent: no header has that name",
  },
  {
    file: "server/request-host.server.ts",
    line: /rawHeaders\[i\] \?\? ""|url = "\/"|i < rawHeaders\.length/,
    why: "equivalent: Node gives names and values in pairs, and every request its URL",
  },
  {
    file: "server/request-host.server.ts",
    line: "SINGLE_LENGTHS.has",
    why: "equivalent: a shortcut, whose answer is found without it too",
  },
  {
    file: "server/request-host.server.ts",
    line: /https\?:\$|const path = url\.replace/,
    why: "equivalent: what a URL has been parsed from begins with its scheme, and nothing follows the colon",
  },
  {
    file: "server/response-headers.server.ts",
    line: "LIVE_RELOAD_URL",
    why: "a development build's, which the test of `npm run dev` opens",
  },
  {
    file: "http/safe-redirect.ts",
    line: "target.length > 2_000",
    replacement: />=/,
    why: "one character in two thousand",
  },
  {
    file: "server/loopback.server.ts",
    line: /flatMap\(\(all\) => all \?\? \[\]\)/,
    replacement: /Stryker/,
    why: "equivalent: a text has no address",
  },
  {
    file: "server/loopback.server.ts",
    line: "servers[0]?.port ?? port",
    why: "equivalent: there is at least one server",
  },
  {
    file: "server/route-table.server.ts",
    line: "if (!route || !handle) continue;",
    why: "equivalent: a route without a handle is as good as none",
  },
  {
    file: "server/route-table.server.ts",
    line: 'path.includes(":")',
    why: "equivalent: a pattern without parameters finds the same path, only later",
  },
  {
    file: "server/route-table.server.ts",
    line: 'route.parentId ?? ""',
    why: "equivalent: no route has either name",
  },
  {
    file: "http/safe-redirect.ts",
    line: 'fallback = "/"',
    why: "the routes that rely on the default are tested in browsers",
  },
  {
    file: "http/request-body.server.ts",
    line: "if (request instanceof IncomingRequest) return request.readBody();",
    replacement: /^false$/,
    why: "equivalent but for its time: the same body is read as a stream",
  },
  {
    file: "server/loopback.server.ts",
    line: "servers[0]?.port ?? null",
    why: "equivalent: there is at least one server",
  },
  {
    file: "server/request-guards.server.ts",
    line: "if (answer) return answer;",
    replacement: /^true$/,
    why: "equivalent: what is handled under another host has no origin check either",
  },
  {
    file: "server/route-table.server.ts",
    line: 'values[index + 1] ?? ""',
    replacement: /Stryker/,
    why: "equivalent: what a pattern matches has each of its parameters",
  },
];
