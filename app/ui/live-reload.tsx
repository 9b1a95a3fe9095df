/** Where pages hear of a new build: compiled into those of `app/tooling/dev.mjs`; null in every other build. */
export const LIVE_RELOAD_URL: string | null = process.env.REMIX_DEV_ORIGIN || null;

/** Reloads the page when `npm run dev` runs a new build. Inline, to work where the page's modules fail. */
export function LiveReload({ nonce }: { nonce: string | undefined }) {
  if (LIVE_RELOAD_URL === null) return null;
  const script = `new EventSource(${JSON.stringify(LIVE_RELOAD_URL)}).onmessage = () => location.reload();`;
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours.
      dangerouslySetInnerHTML={{ __html: script }}
    />
  );
}
