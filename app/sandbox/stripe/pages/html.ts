/** Markup that is safe to send unescaped. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | Part[] | string | number | boolean | null | undefined;

/** Renders a template to markup. Escapes values unless they are markup; joins lists. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(
    strings.map((text, index) => (index === 0 ? text : render(parts[index - 1]) + text)).join(""),
  );
}

function render(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (Array.isArray(part)) return part.map(render).join("");
  if (part === null || part === undefined || typeof part === "boolean") return "";
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
