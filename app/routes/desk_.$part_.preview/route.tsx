import type { LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import deskStyles from "~/features/desk/desk.css";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskHeading, DeskProblems } from "~/features/desk/desk-parts";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { COLORS_PATH } from "~/features/desk/edition/edition-paths";
import { loadPreviewOf } from "~/features/desk/edition/edition-previews.server";
import landingStyles from "~/features/landing/landing.css";
import { LandingPage } from "~/features/landing/landing-page";
import { loadLanding } from "~/features/landing/load-landing.server";
import libraryStyles from "~/features/library/library.css";
import { PreviewPage } from "~/features/library/preview-page";
import pageStyles from "~/features/newsletter/issue-page.css";
import { pageSite } from "~/features/site/page-site.server";
import { SitePageText } from "~/features/site/site-page-text";
import { found } from "~/http/page-answer.server";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () =>
  [landingStyles, libraryStyles, pageStyles, deskStyles, COLORS_PATH].map((href) => ({
    rel: "stylesheet",
    href,
  }));

export const meta = deskMeta("Preview");

export const handle: RouteHandle = { frame: "preview" };

/** A text, the landing page or another page as readers will see it, in a frame beside its editor. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const file = new URL(args.request.url).searchParams.get("file") ?? "";
  const { site, ...shown } = found(await loadPreviewOf(await openEdition(), file));
  return {
    ...shown,
    landing: site && !shown.page ? await loadLanding(site) : null,
    // its colors come from a style sheet of the desk
    site: site && { ...pageSite(site), hasColors: false },
  };
}

export default function Preview() {
  const { problems, text, page, landing } = useLoaderData<typeof loader>();
  if (text) return <PreviewPage preview={text} isForAuthor />;
  if (page) return <SitePageText {...page} />;
  if (landing) return <LandingPage {...landing} />;
  const message = "The page appears here without these mistakes:";
  return (
    <div className="frame">
      <DeskHeading title="No preview yet" />
      <DeskProblems refusal={problems && { message, problems }} />
    </div>
  );
}
