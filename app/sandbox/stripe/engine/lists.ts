/** A list inside an object, with all its items. */
export function wholeList<Item>(
  url: string,
  data: Item[],
): { object: "list"; data: Item[]; has_more: boolean; url: string } {
  return { object: "list", data, has_more: false, url };
}
