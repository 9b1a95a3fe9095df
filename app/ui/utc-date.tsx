const dateFormat = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** The day of an instant, such as "December 22, 2026", in UTC so that server, browser and mails agree. */
export function utcDate(at: Date): string {
  return dateFormat.format(at);
}

/** The day of an ISO 8601 instant. */
export function UtcDate({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} className={className}>
      {utcDate(new Date(at))}
    </time>
  );
}

/** The day and time of an ISO 8601 instant, such as "December 22, 2026, 18:05 UTC". */
export function UtcTime({ at }: { at: string }) {
  return <time dateTime={at}>{`${utcDate(new Date(at))}, ${at.slice(11, 16)} UTC`}</time>;
}
