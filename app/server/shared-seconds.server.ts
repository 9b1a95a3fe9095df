import { env } from "~/env.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { isPriceOnSaleKnown } from "~/features/membership/price-on-sale.server";

/**
 * How long a shared cache in front may keep a page rendered now, in seconds (CDN_CACHE_SECONDS); null for not at all.
 * Also null until the edition and the price are known, because nothing could purge the page from the cache afterward.
 */
export function sharedSeconds(): number | null {
  return currentEdition() && isPriceOnSaleKnown() ? (env().CDN_CACHE_SECONDS ?? null) : null;
}
