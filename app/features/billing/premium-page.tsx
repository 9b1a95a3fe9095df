import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import type { Viewer } from "~/features/accounts/viewer";
import { ButtonLink, DawnScene } from "~/ui";
import { MembershipActions } from "./manage-membership-form";
import { MembershipNotice } from "./membership-notice";
import { MembershipStatusText } from "./membership-status-text";

type PremiumPageProps = {
  viewer: Viewer;
  /** Where to continue reading. */
  readOn: ReactNode;
  /** The content of the cards. */
  chapters: ReactNode;
  extras: ReactNode;
  community: ReactNode;
  /** What else belongs to the library, below the cards. */
  children: ReactNode;
};

/** The members' area (specification, 2: Premium page). */
export function PremiumPage(props: PremiumPageProps) {
  const { viewer, readOn, chapters, extras, community, children } = props;
  const { user, profile } = viewer;
  return (
    <div className="pb-[clamp(4rem,8vw,7rem)] premium-page">
      <header className="on-night premium-greeting relative isolate mb-[clamp(3rem,6vw,5rem)] overflow-hidden">
        {/* The landscape fades into the band's dark background. */}
        <div className="premium-scene md:-z-1 hidden md:absolute md:inset-y-0 md:right-0 md:block md:w-[42%] md:mask-[linear-gradient(to_right,transparent,black_45%)]">
          <DawnScene />
        </div>
        <div className="frame">
          <div className="premium-greeting-text py-[clamp(2.5rem,6vw,5rem)] md:max-w-[60%]">
            <h1 className="page-heading">
              Welcome,{" "}
              <span className="premium-email block wrap-anywhere text-[0.72em] text-gold leading-[1.3]">
                {user.readableEmail}
              </span>
            </h1>
            {readOn}
            <ButtonLink to="/" variant="secondary" className="mt-8">
              Start Reading
            </ButtonLink>
          </div>
        </div>
      </header>
      <div className="frame [&>.membership-notice]:mb-[clamp(3rem,6vw,5rem)]">
        <MembershipNotice viewer={viewer} />
        <ul className="premium-parts grid gap-x-[clamp(2rem,4vw,4rem)] gap-y-10 md:grid-cols-3">
          <Card title="Full Chapter Access">{chapters}</Card>
          <Card title="Exclusive Content">{extras}</Card>
          <Card title="Private Community">{community}</Card>
        </ul>
        {children}
        <section
          className="premium-membership mt-[clamp(3rem,6vw,5rem)] flex flex-wrap items-center gap-x-12 gap-y-6 rounded-lg bg-paper-deep p-[clamp(1.5rem,4vw,2.5rem)] max-[20rem]:px-3"
          aria-labelledby="membership"
        >
          <div className="grow basis-80">
            <h2 id="membership" className="text-xl">
              Your membership
            </h2>
            <p className="mt-3 text-ink-soft">
              {profile && <MembershipStatusText profile={profile} />}
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-3">
            {profile && <MembershipActions profile={profile} />}
            <Link to="/account" className="text-link">
              My Account
            </Link>
          </div>
        </section>
      </div>
    </div>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="flex flex-col border-gold border-t-3 pt-6 text-ink-soft">
      <h2 className="mb-3 text-ink text-xl">{title}</h2>
      {children}
    </li>
  );
}
