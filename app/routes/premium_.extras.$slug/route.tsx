import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import libraryStyles from "~/features/library/library.css";
import { ReadingRoom } from "~/features/library/reading-room";
import { requireReading } from "~/features/library/require-reader.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: libraryStyles }];

export const meta: MetaFunction<typeof loader> = ({ data, matches }) =>
  unlistedMeta(
    matches,
    data?.document.title ?? "Members’ area",
    data?.document.summary ?? "A text for premium members.",
  );

export const handle: RouteHandle = { metricsName: "/premium/extras" };

export const loader = (args: LoaderFunctionArgs) => requireReading("extra", args);

export default function Extra() {
  const reading = useLoaderData<typeof loader>();
  // a property that is not enumerable is not spread
  return reading && <ReadingRoom key={reading.document.slug} {...reading} html={reading.html} />;
}
