import { Link } from "@remix-run/react";
import { AUTHOR_FIRST_NAME } from "~/book";
import { COMMUNITY_PATH } from "./community-paths";

/** What the members' area says of the community: the way in, or that there is none yet. */
export function CommunityCard({ isOpen }: { isOpen: boolean }) {
  if (!isOpen) {
    return (
      <p>
        A small, looked-after circle of readers who are on the same stretch as you. It is not open
        yet: it opens later, and the way in will be here.
      </p>
    );
  }
  return (
    <>
      <p>
        A small, looked-after circle of readers who are on the same stretch as you.{" "}
        {AUTHOR_FIRST_NAME} joins the table every other Thursday and answers what you bring.
      </p>
      {/* leads to another site, so the router must not follow it */}
      <Link to={COMMUNITY_PATH} reloadDocument className="text-link mt-auto pt-3 text-ink">
        Enter the community
      </Link>
    </>
  );
}
