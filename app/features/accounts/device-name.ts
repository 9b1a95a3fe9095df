/** Names a browser and its system, such as "Chrome on Linux"; returns `fallback` if neither is known. */
export function deviceName(
  { browser, system }: { browser: string | null; system: string | null },
  fallback: string,
): string {
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? fallback;
}
