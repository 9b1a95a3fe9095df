import { type PageSite, siteFile } from "~/features/site/page-site";
import { PathMark } from "~/ui";

/** The mark beside the book's title: the sample's, or the author's cover. */
export function SiteMark({ site }: { site: PageSite | null }) {
  if (site?.isSample) return <PathMark />;
  if (!site?.cover) return null;
  const src = siteFile(site, "icon-192.png");
  return <img src={src} width={36} height={36} alt="" className="size-9 rounded-sm" />;
}
