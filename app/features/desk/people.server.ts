import { readableEmail, withAsciiDomain } from "~/environment/email-address.server";
import { dashboardUrl } from "~/features/billing/author-notice.server";
import { describeMembership } from "~/features/membership/describe-membership";
import { priceText } from "~/features/membership/premium-price";
import { formatCount } from "~/features/newsletter/format-count";
import {
  findPaidMembershipData,
  findSubscriptionData,
  findSuppressionData,
} from "~db/queries/account-data";
import { countHighlights } from "~db/queries/highlights";
import { findMemberOverview, type MemberOverview } from "~db/queries/members";
import { findGrantedUntil } from "~db/queries/membership-grants";
import { findEmailOf, findPeople, type PeopleGroup } from "~db/queries/people";
import { isOwnersWish, SUPPRESSION_REASONS } from "~db/suppression-reasons";
import { personPath } from "./people-paths";

const PER_PAGE = 50;

/** The longest part of an address that is searched for; no address is longer. */
const MAX_MATCH = 254;

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
  const isPossible = match.length <= MAX_MATCH && !match.includes("\0");
  const found = isPossible
    ? await findPeople(chosen, {
        match: withAsciiDomain(match.trim()),
        after: await findEmail(after),
        limit: PER_PAGE + 1,
      })
    : [];
  return {
    match: match.slice(0, MAX_MATCH),
    group: chosen,
    groups: GROUPS,
    isFirst: after === "",
    hasNext: found.length > PER_PAGE,
    people: found.slice(0, PER_PAGE).map((person) => ({
      ...person,
      key: keyOf(person.accountId, person.subscriberId),
      email: readableEmail(person.email),
      suppression: person.suppression && SUPPRESSION_REASONS[person.suppression].words,
    })),
  };
}

/** A person: an address with an account, an entry in the newsletter's list, or both. */
export type Person = {
  /** Names the person in addresses of pages: by the account if there is one. */
  key: string;
  email: string;
  member: MemberOverview | null;
  subscriber: Awaited<ReturnType<typeof findSubscriptionData>>;
  suppression: Awaited<ReturnType<typeof findSuppressionData>>;
};

const keyOf = (accountId: string | null | undefined, subscriberId: string | null | undefined) =>
  accountId ? `account-${accountId}` : `subscriber-${subscriberId}`;

/** The address of the person that a key names; null for any other text. */
async function findEmail(key: string): Promise<string | null> {
  const [, kind, id] =
    /^(account|subscriber)-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(key) ?? [];
  return kind && id ? findEmailOf(kind as "account" | "subscriber", id) : null;
}

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
  if (!member && !subscriber) return null;
  return { key: keyOf(member?.id, subscriber?.id), email, member, subscriber, suppression };
}

/** A name and what is known, as text; null for what does not apply. */
type Fact = [name: string, value: string | null];

/** What a person's page shows. */
export async function showPerson({ key, email, member, subscriber, suppression }: Person) {
  const rules = suppression && SUPPRESSION_REASONS[suppression.reason];
  const customer = member?.profile?.stripeCustomerId;
  const newsletter: Fact[] = [
    ["Newsletter", subscriber ? `on the list since ${dayOf(subscriber.createdAt)}` : "no"],
    ["Confirmed", subscriber && dayOf(subscriber.confirmedAt, "not yet")],
    [
      "Consent",
      subscriber &&
        `${subscriber.consentSource ?? "the site’s form"}, ${dayOf(subscriber.consentRecordedAt ?? subscriber.createdAt)}`,
    ],
    [
      "Suppressed",
      rules &&
        [rules.words, dayOf(suppression?.createdAt), suppression?.reply].filter(Boolean).join(", "),
    ],
  ];
  return {
    path: personPath(key),
    email: readableEmail(email),
    account: member && (await describeAccount(member)),
    newsletter,
    isOnList: subscriber !== null,
    isSuppressed: suppression !== null,
    mayBeLifted: rules !== null && !isOwnersWish(rules),
    atStripe: customer ? dashboardUrl(`customers/${customer}`) : null,
  };
}

async function describeAccount(member: MemberOverview): Promise<Fact[]> {
  const granted = await findGrantedUntil(member.id);
  const paid = await findPaidMembershipData(member.id);
  return [
    ["Account", `since ${dayOf(member.createdAt)}, ${member.id}`],
    ["Address", member.emailConfirmedAt ? "confirmed" : "not confirmed"],
    ["Membership", describeMembership(member.profile, new Date())],
    ["Complimentary", granted && `until ${dayOf(granted)}`],
    ...paid.map(({ startedAt, endedAt, monthlyAmount: unitAmount, currency, reason }): Fact => {
      const price = `${priceText({ unitAmount, currency })} a month`;
      const why = reason && `canceled: ${reason}`;
      const days = `${dayOf(startedAt)} to ${dayOf(endedAt, "now")}`;
      return ["Paid", [days, price, why].filter(Boolean).join(", ")];
    }),
    ["Logged in", formatCount(member.sessions, "browser")],
    ["Passkeys", formatCount(member.passkeys)],
    ["Notes", `on ${formatCount(member.notes, "text")}`],
    ["Highlights", formatCount(await countHighlights(member.id))],
    ["Deletion", member.deletionStartedAt && `begun ${dayOf(member.deletionStartedAt)}, not ended`],
  ];
}

const dayOf = (time: Date | null | undefined, otherwise = "") =>
  time?.toISOString().slice(0, 10) ?? otherwise;
