import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { SECTION_IDS } from "~/shell/section-links";

/**
 * To a section of the landing page by a page load (`app/shell/mobile-menu.tsx`). Like a fragment, an id that
 * names nothing leads to the top of the page.
 */
export function loader({ params }: LoaderFunctionArgs) {
  const id = SECTION_IDS.find((id) => id === params.id);
  return redirect(id ? `/#${id}` : "/", {
    // a section chosen again costs no second request for the way there
    headers: { "Cache-Control": "public, max-age=3600" },
  });
}
