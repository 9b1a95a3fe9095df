import type {
  ActionFunctionArgs,
  LinksFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { env } from "~/env.server";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import contentsStyles from "~/features/library/contents.css";
import libraryStyles from "~/features/library/library.css";
import {
  createPodcastAddress,
  findPodcastAddress,
  renewPodcastAddress,
} from "~/features/library/podcast-address.server";
import { PodcastPage } from "~/features/library/podcast-page";
import { PODCAST_PAGE_PATH } from "~/features/library/podcast-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import { limitForm, redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: libraryStyles },
  { rel: "stylesheet", href: contentsStyles },
];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Your podcast", "The book’s audio in your podcast app.");

export const handle: RouteHandle = { metricsName: PODCAST_PAGE_PATH };

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireSubscriber(args);
  if (!viewer) return { isMember: false, address: null };
  const address = await findPodcastAddress(viewer.user.id, env().PUBLIC_URL);
  return { isMember: true, address };
}

export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readPageForm(request);
  const viewer = await requireSubscriber(args);
  if (!viewer) return redirectWithToast(PODCAST_PAGE_PATH, toasts.podcastAddressFailed());
  const userId = viewer.user.id;
  const limited = await limitForm(
    "podcast-address",
    { form, context, account: userId },
    (message) => ({
      toast: toasts.podcastAddressFailed(message),
      redirectTo: PODCAST_PAGE_PATH,
    }),
  );
  if (limited) return limited;
  switch (form.fields.intent) {
    case "create":
      await createPodcastAddress(userId);
      return redirectWithToast(PODCAST_PAGE_PATH, toasts.podcastAddressCreated);
    case "renew":
      await renewPodcastAddress(userId);
      return redirectWithToast(PODCAST_PAGE_PATH, toasts.podcastAddressRenewed);
    default:
      throw errorResponse(400, "Please use the form on this page.");
  }
}

export default function Podcast() {
  const { isMember, address } = useLoaderData<typeof loader>();
  return isMember && <PodcastPage address={address} />;
}
