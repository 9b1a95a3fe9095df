const FORMAT = new Intl.DateTimeFormat("en-US", {
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** A time as the operator reads it, such as "November 23, 2026 at 15:40 UTC". */
export const utcDateTime = (at: Date): string => `${FORMAT.format(at)} UTC`;
