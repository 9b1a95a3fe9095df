import { env } from "~/env.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { previewPath } from "~/features/library/library-paths";
import { listIssues } from "~/features/newsletter/issues.server";
import { ARCHIVE_PATH, issuePath } from "~/features/newsletter/newsletter-paths";
import { textResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { cached: { searches: [""] } };

/**
 * The landing page, the public texts of the book and the newsletter's issues are meant for search engines; all others
 * are private or show an outcome. No address in it needs escaping: slugs are letters, digits and hyphens.
 */
export async function loader() {
  const issues = await listIssues();
  const edition = currentEdition();
  const texts = edition ? edition.publicTexts(new Date()) : [];
  const entries = [
    { path: "/" },
    ...texts.map(({ slug }) => ({ path: previewPath(slug) })),
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
  return textResponse(sitemap, {
    "Content-Type": "application/xml; charset=utf-8",
    "Cache-Control": edition ? "public, max-age=3600" : "private, no-cache",
  });
}
