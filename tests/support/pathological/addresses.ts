import { fill, HEAD_SIZE, type PathologicalRequest, request } from "./request";

/** The maximum that fits, and just below the site's limit for a path with its query. */
const SIZES = [HEAD_SIZE, 7_990];

/** Separators and characters with a special meaning in paths. */
const PATHS: Record<string, { start?: string; filling: string; end?: string }> = {
  segments: { filling: "/a" },
  "empty segments": { filling: "/" },
  "segments of data": { filling: "/a", end: ".data" },
  "segments below a page": { start: "/auth", filling: "/a" },
  "segments of the root's data": { start: "/_root.data", filling: "/a" },
  "segments of the build": { start: "/build/", filling: "a/" },
  dots: { filling: "/." },
  "double dots": { filling: "/.." },
  "encoded dots": { filling: "/%2e%2e" },
  backslashes: { start: "/a", filling: "\\a" },
  "encoded slashes": { start: "/", filling: "%2f" },
  "percent signs": { start: "/", filling: "%" },
  "encoded letters": { start: "/", filling: "%41" },
  "encoded umlauts": { start: "/", filling: "%C3%A4" },
  "half umlauts": { start: "/", filling: "%E0%A4" },
  "a long segment": { start: "/", filling: "a" },
  stars: { filling: "/*" },
  parameters: { filling: "/:a" },
  "endings of data": { start: "/a", filling: ".data" },
  semicolons: { start: "/", filling: ";" },
  "at signs": { start: "/", filling: "a@" },
};

const QUERY_PATHS = ["/", "/auth", "/auth.data"];

const QUERIES = [
  ...["a=b&", "1&", "&", "?", "%", "+", "/", "%C3%A4", "index&", "index=a&", "_data=root&"],
  ...["_routes=root&", "tab=&", "%5Fdata=&"],
];

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
  const form: [string, string][] = [["Content-Type", "application/x-www-form-urlencoded"]];
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
      request(`path of segments, posted to (${size})`, {
        ...deep,
        method: "POST",
        headers: form,
        body: "a=b",
      }),
      request(`path behind a host (${size})`, { target: fill(size, `${site.origin}/`, "a/") }),
      request(`host of labels (${size})`, { target: fill(size, "http://", "a.", "/") }),
      ...["/a", "%2f", "&p=/a/a/a"].map((filling) =>
        request(`manifest of ${filling} (${size})`, { target: fill(size, manifest, filling) }),
      ),
      ...["root,", ","].flatMap((filling) =>
        ["/_root.data", "/auth.data", "/"].map((path) =>
          request(`routes of ${path}: ${filling} (${size})`, {
            target: fill(size, `${path}?_routes=`, filling),
          }),
        ),
      ),
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
    [".", "a", "-", "%20"].map((filling) =>
      request(`token of ${path}: ${filling}`, { target: fill(7_990, `${path}?token=`, filling) }),
    ),
  );
  const checkouts = ["a", "%00", "/", "%2f..", "a@", "%20"].map((filling) =>
    request(`checkout session of ${filling}`, {
      target: fill(7_990, "/checkout/success?session_id=cs_test_", filling),
      headers: signedIn,
    }),
  );
  return [...paths, ...others, ...queries, ...tokens, ...checkouts];
}
