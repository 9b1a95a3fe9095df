const dateFormat = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** The day of an ISO 8601 instant, in UTC so that server and browser agree. */
export function UtcDate({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} className={className}>
      {dateFormat.format(new Date(at))}
    </time>
  );
}
