import type { LetterSection } from "~/features/mail/templates/operator-mails";
import { formatCount } from "~/features/newsletter/format-count";
import { writeRevenue, writeShare } from "~/features/statistics/figures";
import type { MonthFigures } from "~/features/statistics/statistics";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** Formats `2026-11` as November 2026. */
export const writeMonth = (month: string): string =>
  MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** The site's state on the day the letter is written. */
export type SiteState = {
  /** Titles and dates of the open alerts. */
  alerts: { title: string; since: string }[];
  /** One sentence about the backups. */
  backups: string;
  /** One sentence about the program and its database. */
  program: string;
};

/** Writes the letter about a month, compared with the month before. */
export function writeLetter(
  figures: MonthFigures,
  before: MonthFigures | null,
  site: SiteState,
): { summary: string; sections: LetterSection[] } {
  const { members, newsletter, renewals, disputes, mostRead } = figures;
  const fact = (name: string, read: (month: MonthFigures) => number | string) => {
    const write = (month: MonthFigures) => {
      const value = read(month);
      return typeof value === "number" ? formatCount(value) : value;
    };
    return { name, value: write(figures) + (before ? ` (before: ${write(before)})` : "") };
  };
  return {
    summary: `${writeMonth(figures.month)} ended with ${formatCount(members.count, "member")}, ${compare(
      members.joined + members.returned - members.left,
    )}, and ${formatCount(newsletter.count)} on the newsletter's list.`,
    sections: [
      {
        title: "Members",
        facts: [
          fact("Members at the end", (month) => month.members.count),
          fact("Gained", ({ members: { joined, returned } }) => joined + returned),
          ...(members.returned > 0
            ? [fact("Of these, former members", (month) => month.members.returned)]
            : []),
          fact("Lost", (month) => month.members.left),
          fact("Kept", keptIn),
          fact("Churn", (month) => writeShare(month.members.churn)),
          fact("Revenue per month", (month) => writeRevenue(month.revenue)),
        ],
      },
      {
        title: "Payments",
        facts: [
          fact("Renewals that failed", (month) => month.renewals.failed),
          fact("Failed payments recovered", (month) => month.renewals.recovered),
          fact("Disputes opened", (month) => month.disputes.opened),
          fact("Disputes closed", (month) => month.disputes.ended),
        ],
        ...(renewals.failed > renewals.recovered || disputes.opened > 0
          ? { remark: "Stripe's dashboard shows each of them." }
          : {}),
      },
      {
        title: "Newsletter and accounts",
        facts: [
          fact("Addresses on the list", (month) => month.newsletter.count),
          fact("Joined", (month) => month.newsletter.joined),
          fact("Left the list", (month) => month.newsletter.left),
          fact("New accounts", (month) => month.accounts.joined),
          fact("Deleted accounts", (month) => month.accounts.left),
          fact("Visitors, day by day", (month) => month.visitors),
        ],
      },
      mostRead.length > 0
        ? {
            title: "Most read",
            facts: mostRead.slice(0, 5).map(({ title, members: readers }) => ({
              name: title,
              value: `marked as read by ${formatCount(readers, "member")}`,
            })),
          }
        : { title: "Most read", facts: [], remark: "No one has marked a text as read." },
      {
        title: "Open alerts",
        facts: site.alerts.map(({ title, since }) => ({ name: title, value: `since ${since}` })),
        ...(site.alerts.length === 0 ? { remark: "None." } : {}),
      },
      { title: "The site", facts: [], remark: `${site.backups} ${site.program}` },
      {
        title: "More",
        facts: [],
        remark:
          "'stats' shows these figures month by month, and docs/members.md says what each counts.",
      },
    ],
  };
}

/** Returns how many of the members at the start of a month were still members at its end. */
export function keptIn({ members: { count, joined, returned } }: MonthFigures): number {
  return count - joined - returned;
}

function compare(change: number): string {
  if (change === 0) return "the same number as it started with";
  return `${formatCount(Math.abs(change))} ${change > 0 ? "more" : "fewer"} than it started with`;
}
