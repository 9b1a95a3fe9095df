/** What a client may be sent a text in, as HTTP calls it. */
export type Encoding = "br" | "gzip" | "identity";

/** Browsers of a kind all send the same header, so a few answers serve nearly every request. */
const remembered = new Map<string, Encoding>();
const MAX_REMEMBERED = 100;
const MAX_HEADER_LENGTH = 100;

/**
 * The smallest encoding that an Accept-Encoding header lets a client be sent: brotli before gzip, whatever
 * it prefers; one with the quality 0 it does not take (RFC 9110, 12.5.3). `*` is not made use of. Takes
 * time in proportion to the header, whatever it is.
 */
export function preferredEncoding(accepted: string | string[] | undefined): Encoding {
  if (accepted === undefined) return "identity";
  const header = String(accepted);
  const known = remembered.get(header);
  if (known) return known;
  const encoding = chooseEncoding(header);
  if (header.length <= MAX_HEADER_LENGTH) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(header, encoding);
  }
  return encoding;
}

function chooseEncoding(header: string): Encoding {
  let takesGzip = false;
  for (const element of header.split(",")) {
    const [name = "", ...parameters] = element.split(";");
    const encoding = name.trim().toLowerCase();
    if ((encoding !== "br" && encoding !== "gzip") || !hasQuality(parameters)) continue;
    if (encoding === "br") return "br";
    takesGzip = true;
  }
  return takesGzip ? "gzip" : "identity";
}

/** Whether an encoding's parameters leave it a quality above 0; one without any has all of it. */
function hasQuality(parameters: string[]): boolean {
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=", 2);
    if (name.trim().toLowerCase() === "q") return Number(value) > 0;
  }
  return true;
}
