import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData, useNavigate } from "@remix-run/react";
import { useEffect } from "react";
import { env } from "~/env.server";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import { PremiumPage } from "~/features/billing/premium-page";
import { CommunityCard } from "~/features/community/community-card";
import { currentEdition } from "~/features/library/current-edition.server";
import {
  ChaptersCard,
  ExtrasCard,
  LibraryTools,
  ReadOn,
} from "~/features/library/library-overview";
import { loadLibraryOverview } from "~/features/library/library-overview.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(
    matches,
    "Members’ area",
    "The whole book and everything that comes with it, for premium members.",
  );

export const handle: RouteHandle = { metricsName: "/premium" };

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireSubscriber(args);
  // without an edition the membership can still be managed
  const edition = currentEdition();
  const overview = viewer && edition && (await loadLibraryOverview(viewer.user.id, edition));
  return { viewer, overview, communityIsOpen: env().COMMUNITY !== null };
}

export default function Premium() {
  const { viewer, overview, communityIsOpen } = useLoaderData<typeof loader>();
  const navigate = useNavigate();
  useEffect(() => {
    // the viewer was revalidated, and could not be determined
    if (!viewer) navigate("/", { replace: true });
  }, [viewer, navigate]);
  if (!viewer) return null;
  return (
    <PremiumPage
      viewer={viewer}
      readOn={overview && <ReadOn {...overview} />}
      chapters={<ChaptersCard overview={overview} />}
      extras={<ExtrasCard overview={overview} />}
      community={<CommunityCard isOpen={communityIsOpen} />}
    >
      <LibraryTools />
    </PremiumPage>
  );
}
