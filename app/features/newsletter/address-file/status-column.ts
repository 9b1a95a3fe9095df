/** Names by which somebody has left, was never confirmed, or cannot be reached; with a date as well: UNSUB_TIME, bounced_at. */
const GONE =
  /\bun(sub|confirmed|verified|deliver)|bounce|complain|\bspam|suppress|\bclean(ed)?\b|black ?list|block ?list|\bblocked|\b(disabled|deleted|removed|inactive|cancell?ed)\b|\bopt(ed)? ?out|\bdo ?not\b|\babgemeldet|\bdesabonn/;

/** Names of what is said of each address, such as whether it is subscribed. */
const STATUS =
  /\b(status|statut|estado|stato|state|subscribed|opt(ed)? ?in|confirmed|verified|active|enabled|consent|permission|marketing|contactable|angemeldet|bestatigt)\b|^(subscriber |member )?type$|^(email |newsletter )?subscription$|^newsletter$/;

/** Words of names that say when, whence or how often, and not whether: OPTIN_TIME, confirmed_at, consent_source. */
const DETAIL = /\b(at|on|date|time|ip|source|last|id)\b/;

/**
 * The names, in a file's first row, of columns that may say that somebody did not agree to get the newsletter, or has left,
 * as the exports of newsletter services and shops have them: 'Status', 'subscribed_to_emails', 'UNSUB_TIME'.
 */
export function statusColumns(names: readonly string[]): string[] {
  return names.filter((name) => {
    const words = wordsOf(name);
    return GONE.test(words) || (STATUS.test(words) && !DETAIL.test(words));
  });
}

/** 'OptIn', 'opt-in' and 'OPT_IN' are 'opt in', and 'Désabonné' is 'desabonne'. */
function wordsOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
}
