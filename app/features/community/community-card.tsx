import { Link } from "@remix-run/react";
import { COMMUNITY_PATH } from "./community-paths";

/** The members' area's card about the community: the link to it, or that it is not open yet. */
export function CommunityCard({ isOpen }: { isOpen: boolean }) {
  if (!isOpen) {
    return (
      <p>
        A place for members to talk with each other. It’s not open yet. When it opens, you’ll find
        the link here.
      </p>
    );
  }
  return (
    <>
      <p>A place for members to talk with each other.</p>
      {/* redirects to another site, which the router must not handle */}
      <Link to={COMMUNITY_PATH} reloadDocument className="text-link mt-auto pt-3 text-ink">
        Enter the community
      </Link>
    </>
  );
}
