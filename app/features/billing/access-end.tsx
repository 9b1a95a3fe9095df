const dateFormat = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** The day on which access ends, from an ISO 8601 instant, in UTC so that server and browser agree. */
export function AccessEnd({ at }: { at: string }) {
  return (
    <time dateTime={at} className="min-[20rem]:whitespace-nowrap">
      {dateFormat.format(new Date(at))}
    </time>
  );
}
