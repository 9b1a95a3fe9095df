import { UtcDate } from "~/ui/utc-date";

/** The day on which access ends, from an ISO 8601 instant. */
export function AccessEnd({ at }: { at: string }) {
  return <UtcDate at={at} className="min-[20rem]:whitespace-nowrap" />;
}
