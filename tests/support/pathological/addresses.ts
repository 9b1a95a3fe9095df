import { fill, HEAD_SIZE, type PathologicalRequest, request } from "./request";

/** The maximum that fits, and just below the site's limit for a path with its query. */
const SIZES = [HEAD_SIZE, 7_990];

/** Separators and characters with a special meaning in paths. */
const PATHS: Record<string, { start?: string; filling: string; end?: string }> = {
  segments: { filling: "/a" },
  "empty segments": { filling: "/" },
  "segments below a page": { start: "/auth", filling: "/a" },
  "segments of the build": { start: "/build/", filling: "a/" },
  "double dots": { filling: "/.." },
  "encoded dots": { filling: "/%2e%2e" },
  backslashes: { start: "/a", filling: "\\a" },
  "percent signs": { start: "/", filling: "%" },
  "encoded umlauts": { start: "/", filling: "%C3%A4" },
  "half umlauts": { start: "/", filling: "%E0%A4" },
  parameters: { filling: "/:a" },
  "endings of data": { start: "/a", filling: ".data" },
};

const QUERY_PATHS = ["/", "/auth", "/nothing", "/auth.data"];

const QUERIES = ["a=b&", "&", "%", "%C3%A4", "index&", "_data=root&", "_routes=root&", "tab=&"];

const TOKEN_PATHS = ["/newsletter/unsubscribe", "/newsletter/confirm", "/auth/reset-password"];

/** Paths and queries, against everything between the request line and a route's own code. */
export function pathologicalAddresses(site: {
  origin: string;
  /** The Cookie header of a signed-in browser. */
  cookie: string;
  /** The version of the build's manifest. */
  version: string;
}): PathologicalRequest[] {
  const signedIn: [string, string][] = [["Cookie", site.cookie]];
  const paths = SIZES.flatMap((size) =>
    Object.entries(PATHS).map(([name, { start = "", filling, end }]) =>
      request(`path of ${name} (${size})`, { target: fill(size, start, filling, end) }),
    ),
  );
  const others = SIZES.flatMap((size) => {
    const deep = { target: fill(size, "", "/a") };
    const manifest = `/__manifest?version=${site.version}&p=`;
    return [
      request(`path of segments, signed in (${size})`, { ...deep, headers: signedIn }),
      request(`path behind a host (${size})`, { target: fill(size, `${site.origin}/`, "a/") }),
      request(`host of labels (${size})`, { target: fill(size, "http://", "a.", "/") }),
      ...["/a", "%2f", "&p=/a/a/a"].map((filling) =>
        request(`manifest of ${filling} (${size})`, { target: fill(size, manifest, filling) }),
      ),
      request(`routes (${size})`, { target: fill(size, "/auth.data?_routes=", "root,") }),
    ];
  });
  const queries = SIZES.flatMap((size) =>
    QUERY_PATHS.flatMap((path) =>
      QUERIES.map((filling) =>
        request(`query of ${path}: ${filling} (${size})`, {
          target: fill(size - 200, `${path}?`, filling),
          headers: signedIn,
        }),
      ),
    ),
  );
  const tokens = TOKEN_PATHS.flatMap((path) =>
    [".", "%20"].map((filling) =>
      request(`token of ${path}: ${filling}`, { target: fill(7_990, `${path}?token=`, filling) }),
    ),
  );
  const checkouts = ["a", "%00", "/"].map((filling) =>
    request(`checkout session of ${filling}`, {
      target: fill(7_990, "/checkout/success?session_id=cs_test_", filling),
      headers: signedIn,
    }),
  );
  return [...paths, ...others, ...queries, ...tokens, ...checkouts];
}
