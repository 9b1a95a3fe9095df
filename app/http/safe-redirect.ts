/**
 * A path on this site to send a browser to, or `fallback` when `target` is anything else. Stops open
 * redirects: `//evil.example`, `/\evil.example`, absolute addresses and control characters all fall back.
 */
export function safeRedirect(target: unknown, fallback = "/"): string {
  if (typeof target !== "string" || target.length > 2_000) return fallback;
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(target) || target.includes("\\")) return fallback;
  return target;
}
