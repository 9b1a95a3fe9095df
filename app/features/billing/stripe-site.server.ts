import type Stripe from "stripe";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import {
  adoptStripeSite,
  claimLiveUrl,
  ensureStripeSite,
  renewStripeSite,
} from "~db/queries/stripe-site";
import { isUuid } from "~db/uuid";

/** Metadata key of the site's id. Others in the account use shorter names, such as `site` or `userId`. */
export const SITE_KEY = "golden_path_site";

/** The metadata that marks an object at Stripe as a site's. */
export type SiteMark = { [SITE_KEY]: string };

/** Returns this site's mark. Several sites and other programs may share one Stripe account. */
export async function siteMark(): Promise<SiteMark> {
  return { [SITE_KEY]: (await ensureStripeSite()).id };
}

/** Returns whether an object has a site's mark, of this or another site. */
export function isMarked(metadata: Stripe.Metadata | null): boolean {
  return Boolean(metadata?.[SITE_KEY]);
}

/**
 * Returns whether an object at Stripe is this site's; nothing else may be changed, adopted or advised about. One
 * without a mark, as older releases made it, is if it is `named` by a row or a setting.
 */
export function isOurs(
  metadata: Stripe.Metadata | null,
  mark: SiteMark,
  { named }: { named: boolean },
): boolean {
  return isMarked(metadata) ? metadata?.[SITE_KEY] === mark[SITE_KEY] : named;
}

/**
 * Returns why nothing may be written at Stripe with a live key; null if it may. A database that has taken real
 * payments at another address is a copy or has moved, which only the operator knows.
 */
export async function liveProblem(): Promise<string | null> {
  const { PUBLIC_URL } = env();
  const liveUrl = await claimLiveUrl(PUBLIC_URL);
  if (liveUrl === PUBLIC_URL) return null;
  return `this database takes payments at ${liveUrl}, and PUBLIC_URL is ${PUBLIC_URL}: nothing is sold or changed at Stripe until 'stripe adopt' (the site has moved) or 'stripe new-site' (this is a copy)`;
}

/** Logs at the start that nothing can be sold here, if so. */
export async function reportLiveProblem(): Promise<void> {
  const problem = await liveProblem();
  if (problem) log().error(problem);
}

/** Records that the site has moved to PUBLIC_URL; with `id`, that it continues the site with that id. */
export async function adoptSite(id?: string): Promise<void> {
  if (id !== undefined && !isUuid(id)) {
    throw new OperatorError(`--site: wanted the value of ${SITE_KEY} in metadata at Stripe.`);
  }
  await adoptStripeSite(env().PUBLIC_URL, id);
}

/** Makes this database's site a new one at Stripe; returns how many accounts had a customer. */
export async function startNewSite(): Promise<number> {
  return renewStripeSite(env().PUBLIC_URL);
}
