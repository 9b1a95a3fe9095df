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
import {
  findEmailOf,
  findPeople,
  type ListedPerson,
  type PeopleGroup,
  type PersonKey,
} from "~db/queries/people";
import { isOwnersWish, SUPPRESSION_REASONS } from "~db/suppression-reasons";
import { PEOPLE_GROUPS } from "./people-groups";

const PER_PAGE = 50;

/** The longest part of an address that is searched for; no address is longer. */
const MAX_MATCH = 254;

/** What the address of the list's page asks for, as it came; keys are those of persons. */
export type PeopleSearch = Record<"match" | "group" | "after" | "before", string>;

/** Loads a page of the list of people, by address. What cannot be asked for finds nobody, or is the first page. */
export async function listPeople(search: PeopleSearch) {
  const match = withAsciiDomain(search.match.trim());
  const group = PEOPLE_GROUPS.find(([name]) => name === search.group)?.[0] ?? "all";
  const isBefore = search.before !== "";
  const beside = await findEmail(search.before || search.after);
  const isSearchable = match.length <= MAX_MATCH && !match.includes("\0");
  const found = isSearchable
    ? await findPeople({
        group,
        match,
        beside: beside === null ? null : { email: beside, isBefore },
        limit: PER_PAGE + 1,
      })
    : [];
  const hasMore = found.length > PER_PAGE;
  const goesBack = isBefore && beside !== null;
  const people = goesBack ? found.slice(-PER_PAGE) : found.slice(0, PER_PAGE);
  return {
    match: search.match.slice(0, MAX_MATCH),
    group: group as PeopleGroup,
    people: people.map((person) => ({
      ...person,
      key: keyOf(person),
      email: readableEmail(person.email),
      suppression: person.suppression && SUPPRESSION_REASONS[person.suppression].words,
    })),
    hasPrevious: goesBack ? hasMore : beside !== null,
    hasNext: goesBack || hasMore,
  };
}

function keyOf({ accountId, subscriberId }: Pick<ListedPerson, "accountId" | "subscriberId">) {
  return accountId ? `account-${accountId}` : `subscriber-${subscriberId}`;
}

/** Reads a person's key; null for any other text. */
function readKey(key: string): PersonKey | null {
  const [, kind, id] =
    /^(account|subscriber)-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(key) ?? [];
  return kind && id ? { kind: kind as PersonKey["kind"], id } : null;
}

async function findEmail(key: string): Promise<string | null> {
  const read = readKey(key);
  return read && findEmailOf(read);
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

/** Finds the person of a key, which names an account or a subscriber; null if there is none (any more). */
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
  const ids = { accountId: member?.id ?? null, subscriberId: subscriber?.id ?? null };
  return { key: keyOf(ids), email, member, subscriber, suppression };
}

/** A name and what is known, as text; null for what does not apply. */
type Fact = [name: string, value: string | null];

/** What a person's page shows. */
export async function showPerson({ key, email, member, subscriber, suppression }: Person) {
  const reason = suppression && SUPPRESSION_REASONS[suppression.reason];
  return {
    key,
    email: readableEmail(email),
    account: member && (await describeAccount(member)),
    newsletter: [
      ["Newsletter", subscriber ? `on the list since ${dayOf(subscriber.createdAt)}` : "no"],
      [
        "Confirmed",
        subscriber && (subscriber.confirmedAt ? dayOf(subscriber.confirmedAt) : "not yet"),
      ],
      ["Consent from", subscriber && (subscriber.consentSource ?? "the site’s form")],
      [
        "Consent recorded",
        subscriber?.consentRecordedAt ? dayOf(subscriber.consentRecordedAt) : null,
      ],
      [
        "Suppressed",
        suppression &&
          [`${reason?.words}, since ${dayOf(suppression.createdAt)}`, suppression.reply]
            .filter(Boolean)
            .join(": "),
      ],
    ] satisfies Fact[],
    isOnList: subscriber !== null,
    isSuppressed: suppression !== null,
    mayBeLifted: reason !== null && !isOwnersWish(reason),
    stripe: [
      { name: "Customer", path: "customers", id: member?.profile?.stripeCustomerId },
      { name: "Subscription", path: "subscriptions", id: member?.profile?.stripeSubscriptionId },
    ].flatMap(({ name, path, id }) =>
      id ? [{ name, id, url: dashboardUrl(`${path}/${id}`) }] : [],
    ),
  };
}

async function describeAccount(member: MemberOverview): Promise<Fact[]> {
  const [granted, paid, highlights] = await Promise.all([
    findGrantedUntil(member.id),
    findPaidMembershipData(member.id),
    countHighlights(member.id),
  ]);
  return [
    ["Account", `since ${dayOf(member.createdAt)}, ${member.id}`],
    [
      "Address",
      member.emailConfirmedAt ? `confirmed ${dayOf(member.emailConfirmedAt)}` : "not confirmed",
    ],
    ["Membership", describeMembership(member.profile, new Date())],
    ["Complimentary", granted && `${granted > new Date() ? "until" : "ended"} ${dayOf(granted)}`],
    ...paid.map(
      ({ startedAt, endedAt, monthlyAmount: unitAmount, currency, reason }): Fact => [
        "Paid",
        [
          `${dayOf(startedAt)} to ${endedAt ? dayOf(endedAt) : "now"}`,
          `${priceText({ unitAmount, currency })} a month`,
          reason && `canceled: ${reason.replaceAll("_", " ")}`,
        ]
          .filter(Boolean)
          .join(", "),
      ],
    ),
    ["Logged in", formatCount(member.sessions, "browser")],
    ["Passkeys", formatCount(member.passkeys)],
    ["Notes", `on ${formatCount(member.notes, "text")}`],
    ["Highlights", formatCount(highlights)],
    [
      "Deletion",
      member.deletionStartedAt && `begun ${dayOf(member.deletionStartedAt)}, not ended yet`,
    ],
  ];
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
