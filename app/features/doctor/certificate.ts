import { type AreaFinding, ok, problem } from "./finding";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days before its end by which every renewal has renewed a certificate of usual length. */
const RENEWED_DAYS = 14;

/** One that is valid for a few days only is renewed in its last third; half of that is late. */
const RENEWED_SHARE = 1 / 6;

/** Whether a certificate is renewed in time. */
export function judgeCertificate(
  { valid_from, valid_to }: { valid_from: string; valid_to: string },
  now = Date.now(),
): AreaFinding {
  const end = Date.parse(valid_to);
  const days = Math.floor((end - now) / DAY_MS);
  const enough = Math.min(RENEWED_DAYS * DAY_MS, (end - Date.parse(valid_from)) * RENEWED_SHARE);
  const found = `valid for ${days} more ${days === 1 ? "day" : "days"}`;
  if (end - now >= enough) return ok("certificate", found);
  return problem(
    "certificate",
    `${found}, and not renewed`,
    "Renew it, and see in the log of what renews it why it was not renewed by itself.",
  );
}
