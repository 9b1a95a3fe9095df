import { readableEmail, withAsciiDomain } from "~/environment/email-address.server";
import { dashboardUrl } from "~/features/billing/author-notice.server";
import { describeMember } from "~/features/my-account/describe-member";
import { findSubscriptionData, findSuppressionData } from "~db/queries/account-data";
import { findMemberOverview, type MemberOverview } from "~db/queries/members";
import { findEmailOf, findPeople, type PeopleGroup } from "~db/queries/people";
import { isOwnersWish, SUPPRESSION_REASONS } from "~db/suppression-reasons";
import { isUuid } from "~db/uuid";
import { personPath } from "./people-paths";

const PER_PAGE = 50;

/** The filters of the list, with their labels. */
const GROUPS: [PeopleGroup, string][] = [
  ["all", "All"],
  ["members", "Members"],
  ["accounts", "Accounts"],
  ["subscribers", "Subscribers"],
  ["unconfirmed", "Not confirmed"],
  ["suppressed", "Suppressed"],
];

/** What a page of the list shows, as texts: part of the addresses, a group, and the key of the person before the page. */
export type PeopleSearch = Record<"match" | "group" | "after", string>;

/** Loads a page of the list of people, by address. A search that no address can match finds nobody. */
export async function listPeople({ match, group, after }: PeopleSearch) {
  const [chosen] = GROUPS.find(([name]) => name === group) ?? ["all" as const];
  const asked = {
    match: withAsciiDomain(match.trim()),
    after: await findEmail(after),
    limit: PER_PAGE + 1,
  };
  // PostgreSQL takes no text with such a character
  const found = match.includes("\0") ? [] : await findPeople(chosen, asked);
  return {
    match,
    group: chosen,
    groups: GROUPS,
    isFirst: after === "",
    hasNext: found.length > PER_PAGE,
    people: found.slice(0, PER_PAGE).map((person) => ({
      ...person,
      email: readableEmail(person.email),
      suppression: person.suppression && SUPPRESSION_REASONS[person.suppression].words,
    })),
  };
}

/** A person: an address with an account, an entry in the newsletter's list, or both. */
export type Person = {
  /** Names the person in addresses of pages: the id of the account if there is one, or of the subscriber. */
  key: string;
  email: string;
  member: MemberOverview | null;
  subscriber: Awaited<ReturnType<typeof findSubscriptionData>>;
  suppression: Awaited<ReturnType<typeof findSuppressionData>>;
};

/** The address of the person that a key names; null for any other text. */
const findEmail = async (key: string) => (isUuid(key) ? findEmailOf(key) : null);

/** Finds the person of a key, by the account or as a subscriber; null if there is none (any more). */
export async function findPerson(key: string): Promise<Person | null> {
  const email = await findEmail(key);
  return email === null ? null : findPersonByEmail(email);
}

/** Finds the person with an address; null if it has no account and is not on the newsletter's list. */
export async function findPersonByEmail(email: string): Promise<Person | null> {
  const [member, subscriber, suppression] = await Promise.all([
    findMemberOverview(email, new Date()),
    findSubscriptionData(email),
    findSuppressionData(email),
  ]);
  const key = member?.id ?? subscriber?.id;
  return key ? { key, email, member, subscriber, suppression } : null;
}

/** What a person's page shows: names and what is known, as text, if it applies. */
export function showPerson({ key, email, member, subscriber, suppression }: Person) {
  const rules = suppression && SUPPRESSION_REASONS[suppression.reason];
  const customer = member?.profile?.stripeCustomerId;
  const consent = subscriber && [
    subscriber.consentSource ?? "the site’s form",
    dayOf(subscriber.consentRecordedAt ?? subscriber.createdAt),
  ];
  const why = rules && [rules.words, dayOf(suppression.createdAt), suppression.reply];
  return {
    path: personPath(key),
    email: readableEmail(email),
    account: member && describeMember(member),
    newsletter: [
      ["On the list", subscriber ? `since ${dayOf(subscriber.createdAt)}` : "no"],
      ["Confirmed", subscriber && dayOf(subscriber.confirmedAt)],
      ["Consent", consent?.join(", ")],
      ["Suppressed", why?.filter(Boolean).join(", ")],
    ] satisfies [string, string | null | undefined][],
    mayBeLifted: rules !== null && !isOwnersWish(rules),
    atStripe: customer ? dashboardUrl(`customers/${customer}`) : null,
  };
}

const dayOf = (time: Date | null) => time?.toISOString().slice(0, 10) ?? "not yet";
