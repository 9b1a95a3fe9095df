import type { PeopleGroup } from "~db/queries/people";

/** The filters of the list of people, with their labels. */
export const PEOPLE_GROUPS: readonly (readonly [PeopleGroup, string])[] = [
  ["all", "All"],
  ["members", "Members"],
  ["accounts", "Accounts"],
  ["subscribers", "Subscribers"],
  ["unconfirmed", "Subscribers who have not confirmed"],
  ["suppressed", "Suppressed"],
];
