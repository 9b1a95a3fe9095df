/** The content encodings this server produces, by their HTTP names. */
export type Encoding = "br" | "gzip" | "identity";

/** Browsers send only a few different headers, so a small cache serves nearly every request. */
const cached = new Map<string, Encoding>();
const MAX_CACHED = 100;
const MAX_HEADER_LENGTH = 100;

/**
 * The smallest encoding that an Accept-Encoding header accepts: brotli before gzip, whatever the client
 * prefers. A quality of 0 means "not acceptable" (RFC 9110, 12.5.3). `*` is ignored. Takes linear time in the
 * length of the header.
 */
export function preferredEncoding(accepted: string | string[] | undefined): Encoding {
  if (accepted === undefined) return "identity";
  const header = String(accepted);
  const hit = cached.get(header);
  if (hit) return hit;
  const encoding = chooseEncoding(header);
  if (header.length <= MAX_HEADER_LENGTH) {
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(header, encoding);
  }
  return encoding;
}

function chooseEncoding(header: string): Encoding {
  let acceptsGzip = false;
  for (const element of header.split(",")) {
    const [name = "", ...parameters] = element.split(";");
    const encoding = name.trim().toLowerCase();
    if ((encoding !== "br" && encoding !== "gzip") || !hasQuality(parameters)) continue;
    if (encoding === "br") return "br";
    acceptsGzip = true;
  }
  return acceptsGzip ? "gzip" : "identity";
}

/** Whether an encoding's parameters give it a quality above 0; without a `q` its quality is 1. */
function hasQuality(parameters: string[]): boolean {
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=", 2);
    if (name.trim().toLowerCase() === "q") return Number(value) > 0;
  }
  return true;
}
