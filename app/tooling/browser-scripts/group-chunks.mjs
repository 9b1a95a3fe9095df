/**
 * What one more file costs a page beside its contents, in bytes of script before it is minified: the headers of its
 * response, and what compresses worse in two files than in one; about 500 bytes on the wire.
 */
const COST_OF_A_FILE = 2_500;

/** How many files a page loads at most of those that it shares with some pages and not with all. */
const MOST_SHARED_FILES = 3;

/**
 * @typedef {object} Chunk a file of esbuild's
 * @property {string} id
 * @property {number} bytes
 * @property {ReadonlySet<string>} starts the pages and later imports that load it
 *
 * @typedef {{ ids: string[], bytes: number, starts: ReadonlySet<string> }} Group
 */

/**
 * Puts chunks that several pages share into few files. Two groups become one, the best pair first, while the files that
 * saves outweigh the script that pages then load in vain, or a page would load too many. The result depends on the
 * input only.
 *
 * @param {readonly Chunk[]} chunks shared by at least two starts
 * @param {Chunk} site what every start loads anyway
 * @returns {string[][]} the ids of each group; first of those that join the site's
 */
export function groupChunks(chunks, site) {
  const everywhere = { ids: [], bytes: site.bytes, starts: site.starts };
  let groups = [everywhere, ...groupByStarts(chunks)];
  for (let pair = nextPair(groups); pair; pair = nextPair(groups)) {
    const [one, other] = pair;
    const merged = {
      ids: [...one.ids, ...other.ids],
      bytes: one.bytes + other.bytes,
      starts: new Set([...one.starts, ...other.starts]),
    };
    groups = groups.flatMap((group) => (group === one ? merged : group === other ? [] : group));
  }
  return groups.map(({ ids }) => ids);
}

/**
 * @param {readonly Chunk[]} chunks
 * @returns {Group[]}
 */
function groupByStarts(chunks) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const { id, bytes, starts } of chunks) {
    const key = [...starts].sort().join("\n");
    const group = groups.get(key) ?? { ids: [], bytes: 0, starts };
    group.ids.push(id);
    group.bytes += bytes;
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * The pair to merge next; undefined if the groups may stay as they are.
 *
 * @param {readonly Group[]} groups the site's first
 */
function nextPair(groups) {
  const [, ...shared] = groups;
  const pairs = groups.flatMap((one, at) =>
    groups.slice(at + 1).map((other) => ({ one, other, gain: gainOf(one, other) })),
  );
  pairs.sort((a, b) => b.gain - a.gain);
  const crowded = [...new Set(shared.flatMap(({ starts }) => [...starts]))].filter(
    (start) => shared.filter(({ starts }) => starts.has(start)).length > MOST_SHARED_FILES,
  );
  const helps = (/** @type {Group} */ one, /** @type {Group} */ other) =>
    crowded.some((start) => one.starts.has(start) && other.starts.has(start));
  const best = pairs.find(({ one, other, gain }) => gain > 0 || helps(one, other));
  return best && /** @type {const} */ ([best.one, best.other]);
}

/**
 * What merging two groups saves all starts together, in bytes; negative if it costs more.
 *
 * @param {Group} one
 * @param {Group} other
 */
function gainOf(one, other) {
  let gain = 0;
  for (const start of new Set([...one.starts, ...other.starts])) {
    if (!one.starts.has(start)) gain -= one.bytes;
    else if (!other.starts.has(start)) gain -= other.bytes;
    else gain += COST_OF_A_FILE;
  }
  return gain;
}
