import { env } from "~/env.server";
import { listIssues } from "~/features/newsletter/issues.server";
import { ARCHIVE_PATH, issuePath } from "~/features/newsletter/newsletter-paths";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { cached: { searches: [""] } };

/**
 * The landing page and the newsletter's issues are meant for search engines; all others are private or show an
 * outcome. No address in it needs escaping: slugs are letters, digits and hyphens.
 */
export async function loader() {
  const issues = await listIssues();
  const entries = [
    { path: "/" },
    ...(issues.length > 0 ? [{ path: ARCHIVE_PATH, since: issues[0]?.publishedAt }] : []),
    ...issues.map(({ slug, publishedAt }) => ({ path: issuePath(slug), since: publishedAt })),
  ].map(({ path, since }: { path: string; since?: string }) => {
    const changed = since ? `<lastmod>${since}</lastmod>` : "";
    return `  <url><loc>${env().PUBLIC_URL}${path}</loc>${changed}</url>`;
  });
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join("\n")}
</urlset>
`;
  return new Response(sitemap, {
    headers: {
      "Content-Type": "application/xml; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
    },
  });
}
