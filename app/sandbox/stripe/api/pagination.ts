import { resourceMissing } from "../engine/api-error";
import type { Call } from "./endpoint";

type Paging = {
  limit: number | undefined;
  starting_after: string | undefined;
  ending_before: string | undefined;
};

const DEFAULT_LIMIT = 10;

/**
 * One page of a list, newest first, with Stripe's cursors: `starting_after` and `ending_before` name the
 * object that the page follows or precedes. `items` are in the order of their creation.
 */
export function paginate<Item extends { id: string }>(
  call: Call<Paging>,
  kind: string,
  items: Iterable<Item>,
  isWanted: (item: Item) => boolean = () => true,
): { object: "list"; data: Item[]; has_more: boolean; url: string } {
  const { limit = DEFAULT_LIMIT, starting_after, ending_before } = call.values;
  const newestFirst = [...items].reverse();
  const position = (id: string, param: string) => {
    const index = newestFirst.findIndex((item) => item.id === id);
    if (index === -1) throw resourceMissing(kind, id, param);
    return index;
  };
  let data: Item[];
  let has_more: boolean;
  if (ending_before !== undefined) {
    const before = newestFirst.slice(0, position(ending_before, "ending_before")).filter(isWanted);
    data = before.slice(-limit);
    has_more = before.length > limit;
  } else {
    const from = starting_after === undefined ? 0 : position(starting_after, "starting_after") + 1;
    const after = newestFirst.slice(from).filter(isWanted);
    data = after.slice(0, limit);
    has_more = after.length > limit;
  }
  return { object: "list", data, has_more, url: call.path };
}
