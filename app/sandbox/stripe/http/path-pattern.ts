/** Returns the id in a path that matches a pattern: `""` if the pattern has none, null without a match. */
export function matchPath(pattern: string, path: string): string | null {
  const wanted = pattern.split("/");
  const found = path.split("/");
  if (wanted.length !== found.length) return null;
  let id = "";
  for (const [index, part] of wanted.entries()) {
    const given = found[index] ?? "";
    if (part === ":id" && given !== "") id = decodeSegment(given);
    else if (part !== given) return null;
  }
  return id;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
