/** The live-reload server's URL: compiled into builds by `app/tooling/dev.mjs`; null in every other build. */
export const LIVE_RELOAD_URL: string | null = process.env.REMIX_DEV_ORIGIN || null;

/**
 * Reloads the page when `npm run dev` runs a new build. Inline, so that it works even if the page's modules
 * fail.
 */
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
