/** @type {import("../survivors.mjs").Explanation[]} */
export const explanations = [
  {
    file: "accounts/sessions.server.ts",
    line: "= () => null",
    why: "equivalent: nothing is as good as null",
  },
  {
    file: "db/queries/sessions.ts",
    line: "if (!query) {",
    replacement: /^\{\}$/,
    why: "built by an earlier test of the same process",
  },
  {
    file: "accounts/viewer.server.ts",
    line: 'found && found !== "unknown" ? found.detail',
    why: "equivalent: a text has no detail",
  },
  {
    file: "accounts/email-confirmation.server.ts",
    line: /if \(isQueued\) wakeMailWorker|^if \(!user\) return false;|^return true;/,
    replacement: /^(true|false)$/,
    why: "only how soon a mail is sent: the worker looks for mails by itself as well",
  },
  {
    file: "accounts/hash-threads.server.ts",
    line: "attempt < ATTEMPTS && found.size < count",
    replacement: /\|\|/,
    why: "equivalent but for how often the threads are looked for",
  },
  {
    file: "accounts/password-reset-request.server.ts",
    line: 'createResetLink(email, "mail", tx)',
    replacement: /^""$/,
    why: "equivalent: only whether it is the operator is asked",
  },
  {
    file: "accounts/password.server.ts",
    line: /hashOnAllCores|yieldToOtherThreads/,
    why: "how many passwords are hashed at once, which `npm run bench` measures",
  },
  {
    file: "accounts/sessions.server.ts",
    line: ">= EXTEND_AFTER_MS",
    replacement: /> EXTEND_AFTER_MS/,
    why: "equivalent but for one millisecond",
  },
  {
    file: "accounts/verify-identity.server.ts",
    line: "< VERIFICATION_LIFETIME_MS",
    replacement: /<= VERIFICATION_LIFETIME_MS/,
    why: "equivalent but for one millisecond",
  },
  {
    file: "accounts/sign-in.server.ts",
    line: "if (email) await notifySignUpAttempt",
    replacement: /^true$/,
    why: "equivalent: only for the types, since an address that is taken could be read",
  },
  {
    file: "accounts/authenticator.server.ts",
    line: "if (!strategy) throw",
    why: "equivalent: only for the types, since there is one for each way",
  },
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
];
