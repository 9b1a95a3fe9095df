import { data, type LinksFunction, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { openBook } from "~/features/desk/edition/check-book.server";
import { COLORS_PATH } from "~/features/desk/edition/edition-paths";
import { previewSite } from "~/features/desk/edition/previews.server";
import { UnshownPage } from "~/features/desk/edition/unshown-page";
import landingStyles from "~/features/landing/landing.css";
import { LandingPage } from "~/features/landing/landing-page";
import { loadLanding } from "~/features/landing/load-landing.server";
import pageStyles from "~/features/newsletter/issue-page.css";
import { pageSite } from "~/features/site/page-site.server";
import { SitePageText } from "~/features/site/site-page-text";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () =>
  [landingStyles, pageStyles, COLORS_PATH].map((href) => ({ rel: "stylesheet", href }));

export const meta = deskMeta("Preview");

export const handle: RouteHandle = { frame: "preview" };

/** The landing page, or a page of the author's, as it will be with what is typed in one of the site's files. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const file = new URL(args.request.url).searchParams.get("file") ?? "";
  const shown = await previewSite(await openBook(), file);
  if (!shown) throw new Response(null, { status: 404 });
  const headers = { "Cache-Control": "private, no-store" };
  if ("problems" in shown) return data(shown, { headers });
  const { page } = shown;
  const landing = page ? null : await loadLanding(shown.site);
  // its colors come from a style sheet of the desk
  return data({ site: { ...pageSite(shown.site), hasColors: false }, page, landing }, { headers });
}

export default function SitePreview() {
  const shown = useLoaderData<typeof loader>();
  if ("problems" in shown) return <UnshownPage {...shown} />;
  if (shown.page) return <SitePageText {...shown.page} />;
  return shown.landing && <LandingPage {...shown.landing} />;
}
