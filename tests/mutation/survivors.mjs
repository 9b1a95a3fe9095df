/**
 * Why mutants live on that no test notices, from the general to the particular. The first that fits counts;
 * `line` is found in the line that was changed, as it stands in the source.
 *
 * @typedef {{ file: string, line: string, replacement: string }} Change
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

  // accounts
  {
    file: "accounts/authenticator.server.ts",
    line: 'name = "CredentialsError"',
    why: "equivalent: nobody reads what the error is called",
  },
  {
    file: "accounts/authenticator.server.ts",
    line: 'identities: [{ provider: "email" }]',
    replacement: /^(\{\}|"")$/,
    why: "equivalent: only whether the list is empty is asked",
  },
  {
    file: "accounts/authenticator.server.ts",
    line: 'id: "", email',
    why: "equivalent: the id of a taken address is never read",
  },
  {
    file: "accounts/credentials.ts",
    line: "abort: true",
    replacement: /^false$/,
    why: "equivalent: only spares the checks of a text that is rejected anyway",
  },
  {
    file: "accounts/credentials.ts",
    line: "error.issues[0]?.message",
    why: "equivalent: an error of Zod's has an issue",
  },
  {
    file: "accounts/known-browser.server.ts",
    line: "if (!hasCookie(",
    why: "equivalent: only spares the parsing of a header without the cookie",
  },
  {
    file: "accounts/password.server.ts",
    line: /const (CONCURRENCY|MAX_WAITING) =/,
    replacement: /^(Math\.min|40 \/)/,
    why: "equivalent on a machine with two cores",
  },
  {
    file: "accounts/sessions.server.ts",
    line: "if (!hasSessionCookie(request)) return null",
    why: "equivalent: only spares the parsing of a header without the cookie",
  },
  {
    file: "accounts/sessions.server.ts",
    line: "if (isDatabaseUnavailable(error)) throw",
    why: "equivalent: a second query to a database that is down fails as well",
  },
  {
    file: "accounts/sessions.server.ts",
    line: "< EXTEND_AFTER_MS",
    replacement: /<=/,
    why: "equivalent but for one millisecond",
  },
  {
    file: "accounts/sign-in.server.ts",
    line: "if (email) notifySignUpAttempt",
    replacement: /^true$/,
    why: "equivalent: an address that is taken is a valid one",
  },
  {
    file: "accounts/sign-in.server.ts",
    line: "user.identities?.length",
    why: "equivalent: the authenticator always gives a list",
  },
  {
    file: "accounts/sign-in.server.ts",
    line: 'if (way === "login")',
    replacement: /^true$/,
    why: "equivalent: a new account's hash has the current parameters",
  },
  {
    file: "accounts/viewer.server.ts",
    line: "priceId !== null &&",
    why: "equivalent: the price on sale is never null",
  },
  {
    file: "queries/sessions.ts",
    line: "if (!query)",
    replacement: /^true$/,
    why: "equivalent: only how often the query's SQL is built",
  },
  {
    file: "queries/sessions.ts",
    line: '.prepare("find_viewer_by_session")',
    why: "equivalent: any other name of the statement will do",
  },

  // billing
  {
    file: "billing/checkout-destination.ts",
    line: 'typeof url !== "string" || !isPage(url)',
    replacement: /^false$/,
    why: "equivalent: what is no text is no page's address either",
  },
  {
    file: "billing/checkout-destination.ts",
    line: "https?:$/.test(",
    replacement: /^\/\^https\?:\/$/,
    why: "equivalent: a protocol has one colon, at its end",
  },
  {
    file: "billing/checkout-destination.ts",
    line: "} catch {",
    why: "equivalent: undefined counts as false",
  },
  {
    file: "billing/coverage.ts",
    line: 'price_details?.product ?? ""',
    replacement: /Stryker/,
    why: "equivalent: no product has either name",
  },
  {
    file: "billing/coverage.ts",
    line: "if (intent) payments.set(",
    replacement: /^true$/,
    why: "equivalent: no payment is looked up by null",
  },
  {
    file: "billing/coverage.ts",
    line: "if (until === null ||",
    replacement: /^false$/,
    why: "equivalent: null counts as earlier than any period, and as the first one paid changes nothing",
  },
  {
    file: "billing/coverage.ts",
    line: "return ends.length > 0 ? Math.max",
    replacement: /^(true|ends\.length >= 0)$/,
    why: "equivalent: the greatest of no numbers is earlier than any period",
  },
  {
    file: "billing/renewal-invoices.ts",
    line: 'stripeSubscriptionStatus ?? ""',
    why: "equivalent: no status has either name",
  },
  {
    file: "billing/subscription-state.ts",
    line: "a.subscription.id < b.subscription.id",
    replacement: /<=/,
    why: "equivalent: no two subscriptions have the same id",
  },
  {
    file: "billing/membership-facts.ts",
    line: 'stripeSubscriptionStatus ?? ""',
    replacement: /Stryker/,
    why: "equivalent: no status has either name",
  },
  {
    file: "billing/membership-facts.ts",
    line: "end !== null && end > now",
    replacement: /^true$/,
    why: "equivalent: null is later than no date",
  },
  {
    file: "billing/membership-history.ts",
    line: "const months = (MONTHS[",
    replacement: /^(""|recurring\.interval|recurring\.interval_count)$/,
    why: "equivalent: the price of a subscription recurs",
  },
  {
    file: "billing/next-sync.ts",
    line: "checkout !== undefined &&",
    replacement: /^true$/,
    why: "equivalent: no time at all is not less than a lifetime either",
  },
  {
    file: "billing/next-sync.ts",
    line: "|| paidUntil === null) return now + HOUR;",
    replacement: /^false$/,
    why: "equivalent: what was paid in 1970 is synced every hour as well",
  },
  {
    file: "membership/membership-state.ts",
    line: 'stripeSubscriptionStatus ?? ""',
    why: "equivalent: no status has either name",
  },
  {
    file: "membership/premium-price.ts",
    line: "if (!format) {",
    replacement: /^true$/,
    why: "equivalent: only how often a format is made",
  },
  {
    file: "membership/price-amount.ts",
    line: ".exec(text) ?? []",
    why: "equivalent: only that nothing stands in second place is asked",
  },

  // newsletter
  {
    file: "queries/subscribers.ts",
    line: "afterId === null ? undefined : gt(",
    replacement: /^true$/,
    why: "equivalent: those before have their tokens, and are not found again",
  },
  {
    file: "queries/subscriber-lists.ts",
    line: "return row?.count ?? 0;",
    why: "equivalent: a count always has a row",
  },
  {
    file: "queries/subscriber-lists.ts",
    line: 'if (text === "") return undefined;',
    replacement: /^false$|Stryker/,
    why: "equivalent: every address contains the empty text",
  },
  {
    file: "queries/campaigns.ts",
    line: /Number\((row|inserted\[0\]|rows\[0\])\?\./,
    why: "equivalent: a count always has a row",
  },
  {
    file: "queries/newsletter-images.ts",
    line: "if (names.length === 0) return [];",
    why: "equivalent: a query for no names finds nothing, and its caller looks up only images that the text names",
  },
  {
    file: "newsletter/subscribe.server.ts",
    line: /if \(isAdded\) wakeMailWorker|^return true;$/,
    why: "equivalent but for when the mail is sent: at once, or a second later",
  },
  {
    file: "newsletter/suppress-listed.server.ts",
    line: "} finally {",
    why: "equivalent: each row of the report is written before; only its file stays open until the command ends",
  },
  {
    file: "newsletter/unsubscribe-token.server.ts",
    line: /const \[token = ""\]|tokens\[index\] \?\? ""/,
    why: "equivalent: there is a token for each address",
  },
  {
    file: "newsletter/unsubscribe-token.server.ts",
    line: /if \(found\.length (=== 0|< BATCH)\) return;/,
    replacement: /^false$/,
    why: "equivalent: one more query, which finds nothing",
  },
  {
    file: "newsletter/unsubscribe-token.server.ts",
    line: "afterId = found.at(-1)?.id ?? null;",
    why: "equivalent: those before have their tokens, and are not found again",
  },
  {
    file: "newsletter/unsubscribe-token.server.ts",
    line: "if (!key) {",
    replacement: /^true$/,
    why: "equivalent: only how often the key is read, which never changes",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: /node\.position\?\.|start === undefined \|\| end === undefined/,
    why: "equivalent: what Markdown is parsed into has positions, and an image without a file has been refused",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: /node\.alt \?\? ""|!node\.alt\?\.trim\(\)/,
    replacement: /Stryker|^node\.alt\.trim$/,
    why: "equivalent: an image in Markdown always has a description, if an empty one",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: "if (images.has(url)) continue;",
    replacement: /^false$/,
    why: "equivalent: only how often a file is read that is shown twice",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: "const nodes: Nodes[] = [];",
    why: "equivalent: a text is no node of any type",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: 'node.type === "definition" ? uses.get',
    replacement: /^true$/,
    why: "equivalent: a link has no identifier, by which it would be found in use",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: 'node.type === "listItem" && typeof node.checked',
    replacement: /^true$/,
    why: "equivalent: nothing but a list's item has a box to tick",
  },
  {
    file: "newsletter/read-issue.server.ts",
    line: "if (target) used.push(",
    replacement: /^true$/,
    why: "equivalent: a reference without a definition is plain text in Markdown",
  },
  {
    file: "newsletter/send-options.server.ts",
    line: 'parts[6] ?? "00"',
    replacement: /^""$/,
    why: "equivalent: without seconds there are none, and only the beginning is compared",
  },
  {
    file: "newsletter/send-options.server.ts",
    line: ".exec(offset) ?? []",
    why: "equivalent: what is an offset has been checked with the whole time, and a Z has no sign",
  },
  {
    file: "newsletter/send-rate.ts",
    line: "if (!first || !last",
    replacement: /^!first && !last$/,
    why: "equivalent: there is a first sample if and only if there is a last",
  },
  {
    file: "newsletter/add-subscriber.server.ts",
    line: "outcomes.get(email) ??",
    why: "equivalent: the outcome of an address that was asked for is always there",
  },
  {
    file: "newsletter/create-campaign.server.ts",
    line: "if (!campaign) throw",
    replacement: /^false$/,
    why: "equivalent: a slug that could not be inserted exists, and campaigns are never deleted",
  },
  {
    file: "newsletter/create-campaign.server.ts",
    line: "if (!created) {",
    replacement: /^true$/,
    why: "equivalent: a campaign just created is not cancelled, does not differ from itself, and has its rate already",
  },
  {
    file: "newsletter/prepare-message.ts",
    line: 'latin1"',
    replacement: /^""$/,
    why: "equivalent: quoted-printable and headers are ASCII, which has the same bytes in every encoding",
  },
  {
    file: "newsletter/prepare-message.ts",
    line: 'new MimeNode("text/plain")',
    replacement: /^""$/,
    why: "equivalent: of the headers that are built, the content type is not used",
  },
  {
    file: "newsletter/prepare-message.ts",
    line: "header.startsWith(",
    replacement: /^``$/,
    why: "equivalent: the header that was set is the first",
  },
  {
    file: "newsletter/prepare-message.ts",
    line: "if (!line) throw",
    replacement: /^false$/,
    why: "equivalent: neither a sender nor a subject is ever empty",
  },
  {
    file: "newsletter/import-subscribers.server.ts",
    line: 'tokens[index] ?? ""',
    why: "equivalent: there is a token for each address",
  },
  {
    file: "newsletter/import-subscribers.server.ts",
    line: /outcome\?\.kind === "suppressed"|\} else if \(outcome\) \{/,
    replacement: /^(outcome\.kind|true)$/,
    why: "equivalent: the outcome of an address that was listed is always there",
  },
  {
    file: "newsletter/campaign-report.ts",
    line: "row[column]?.length ?? 0",
    replacement: /^row\[column\]\.length$/,
    why: "equivalent: every row has all columns",
  },
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

  // guards
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

  // limits
  {
    file: "http/client-network.server.ts",
    line: "if (!networks) {",
    replacement: /^true$/,
    why: "equivalent: only how often an address is parsed",
  },
  {
    file: "http/page-slots.server.ts",
    line: "if (externalWaits === 1)",
    replacement: /^true$/,
    why: "equivalent: to release a slot again does nothing",
  },
  {
    file: "http/rate-limiter.server.ts",
    line: "isFirst: consumedPoints",
    replacement: /^true$/,
    why: "equivalent within one process, which does not count what it knows to be over the limit",
  },
  {
    file: "http/rate-limits.server.ts",
    line: "if (rejected.isFirst)",
    replacement: /^true$/,
    why: "equivalent within one process, which does not count what it knows to be over the limit",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "if (connection.unanswered === 1)",
    replacement: /^true$/,
    why: "equivalent: pipelined requests come from one client, in the group that it has entered",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "if (this.options.addressOf) this.#regroup(",
    replacement: /^true$/,
    why: "equivalent: without a proxy the group is the connection's own already",
  },
  {
    file: "server/file-descriptors.server.ts",
    line: "readFileSync(",
    replacement: /^""$/,
    why: "equivalent: bytes are searched as the text that they are",
  },
  {
    file: "http/round-robin.server.ts",
    line: 'key = ""',
    why: "equivalent: a default that only satisfies the types",
  },
  {
    file: "http/round-robin.server.ts",
    line: "const NO_ADDRESS",
    why: "equivalent: any other name of that network will do",
  },
  {
    file: "http/round-robin.server.ts",
    line: "if (group.size === 0) this.#groups.set(",
    why: "equivalent: setting a key again keeps its place",
  },
  {
    file: "http/round-robin.server.ts",
    line: "largest === undefined",
    why: "equivalent: without a largest group there is no group either",
  },
  {
    file: "http/round-robin.server.ts",
    line: "mayEvictFor(): boolean {",
    why: "equivalent: undefined counts as false",
  },
  {
    file: "http/size-ranking.server.ts",
    line: "?.values().next()",
    why: "equivalent: the first group is never missing, since size 0 has its own",
  },
  {
    file: "http/size-ranking.server.ts",
    line: "if (to > 0)",
    why: "memory only: a group without items is not forgotten",
  },
  {
    file: "http/rate-limits.server.ts",
    line: "if (!limit) throw",
    why: "equivalent: the types name only limits that exist",
  },
  {
    file: "http/client-network.server.ts",
    line: 'address = "unknown"',
    why: "equivalent: any other name of the network of clients without an address will do",
  },
  {
    file: "http/client-network.server.ts",
    line: "cached.size >= MAX_CACHED",
    why: "equivalent: only how often an address is parsed, and how much memory that saves",
  },
  {
    file: "http/fair-queue.server.ts",
    line: 'name = "QueueFull"',
    why: "what an error is called in the log",
  },
  {
    file: "http/fair-queue.server.ts",
    line: "this.#running < this.limits.concurrency ||",
    why: "equivalent: nothing waits while a slot is free",
  },
  {
    file: "http/fair-queue.server.ts",
    line: "evictFor(network)?.reject",
    why: "equivalent: a full queue has something to evict",
  },
  {
    file: "http/fair-scheduling.server.ts",
    line: "< MAX_ACCEPT_ITERATIONS",
    replacement: /<=/,
    why: "one iteration of the event loop more",
  },
  {
    file: "http/fair-scheduling.server.ts",
    line: "takeNext()?.()",
    why: "equivalent: it runs only while something waits",
  },
  {
    file: "http/receiving-memory.server.ts",
    line: "if (!this.#bodies.has(body)) return;",
    why: "equivalent: nobody gives a body back twice",
  },
  {
    file: "http/receiving-memory.server.ts",
    line: "if (!dropped) return;",
    why: "equivalent: too much memory is never held by nobody",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: 'remoteAddress ?? ""',
    why: "equivalent: any other name of the network of clients without an address will do",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "networks.narrow === narrow && networks.wide === wide",
    why: "equivalent: to leave a group and enter it again changes nothing; narrow networks are never in two wide ones",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "#groups.largest()?.leastUseful()",
    why: "equivalent: there is a connection, the newest",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "if (!connection) return;",
    why: "equivalent: there is a connection, the newest",
  },
  {
    file: "server/connection-groups.server.ts",
    line: "this.#bySize.largest()?.bySize",
    why: "equivalent: it is asked only when there is a connection",
  },
  {
    file: "server/file-descriptors.server.ts",
    line: "Max open files",
    why: "equivalent: Linux writes the line once, at a line's start",
  },
  {
    file: "server/file-descriptors.server.ts",
    line: /\} catch \{|return "";/,
    why: "only where there is no /proc",
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
