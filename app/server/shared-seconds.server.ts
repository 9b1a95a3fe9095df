import { env } from "~/env.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { isPriceOnSaleKnown } from "~/features/membership/price-on-sale.server";

/**
 * How long a shared cache in front may keep a page that is rendered now, in seconds (CDN_CACHE_SECONDS). Null for not at
 * all, also until the edition and the price are known: this site's own cache drops such a page as soon as they are, but
 * nothing tells the one in front.
 */
export function sharedSeconds(): number | null {
  return currentEdition() && isPriceOnSaleKnown() ? (env().CDN_CACHE_SECONDS ?? null) : null;
}
