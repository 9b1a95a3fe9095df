import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { SECTION_IDS } from "~/shell/section-links";

/**
 * Redirects to a section of the landing page by a page load (`app/shell/mobile-menu.tsx`). As with a
 * fragment, an unknown id leads to the top of the page.
 */
export function loader({ params }: LoaderFunctionArgs) {
  const id = SECTION_IDS.find((id) => id === params.id);
  return redirect(id ? `/#${id}` : "/", {
    // choosing the section again takes no second request
    headers: { "Cache-Control": "public, max-age=3600" },
  });
}
