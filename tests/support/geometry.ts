/**
 * Finds layout faults of a page, in the boxes that the browser has really laid out: lines of text, controls and
 * labeled pictures. A single function without outside references, so that any browser can evaluate it. Faults
 * are
 *
 * - horizontal overflow: the page or a box in it scrolls sideways, or something extends beyond the window;
 * - covered items: after scrolling a line or a control to the middle of the window, an element that neither
 *   contains it nor is part of it is in front. Fixed and sticky elements, and what opens from them (header,
 *   menus, toasts), cover the page by design; but it must be possible to scroll everything out from under a
 *   header;
 * - clipped items: text outside a box that clips it, outside its button, card or band, or out of reach of
 *   scrolling; placeholders longer than their field.
 *
 * A table of two dimensions may scroll in a box of its own, `.scroller` (WCAG 2.2, 1.4.10).
 *
 * It runs synchronously, changes the scroll position, and enables pointer events on every element, because
 * `elementFromPoint` ignores the others.
 *
 * With `inWindow` only what the window shows of the page's top is checked. Returns one line per fault.
 */
export function geometryFaults({ inWindow = false }: { inWindow?: boolean } = {}): string[] {
  type Kind = "text" | "control" | "picture";
  type Item = { element: Element; kind: Kind; name: string; rects: () => DOMRect[] };
  type Point = [x: number, y: number];

  /** Tolerance for rounding, in pixels; borders and outlines are thicker. */
  const SLACK = 1;
  const root = document.documentElement;
  const width = root.clientWidth;
  const height = root.clientHeight;
  const faults = new Set<string>();

  if (!document.adoptedStyleSheets.some((sheet) => "geometry" in sheet)) {
    const sheet = Object.assign(new CSSStyleSheet(), { geometry: true });
    sheet.replaceSync("* { pointer-events: auto !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }

  const styles = new Map<Element, CSSStyleDeclaration>();
  const styleOf = (element: Element) => {
    const style = styles.get(element) ?? getComputedStyle(element);
    styles.set(element, style);
    return style;
  };

  /** The layout of an element that may be an ancestor of an item. */
  const readBox = (element: Element) => {
    const style = styleOf(element);
    const isOnPage = element !== root && element !== document.body && style.display !== "contents";
    const clips = (overflow: string) => isOnPage && (overflow === "hidden" || overflow === "clip");
    const scrolls = (overflow: string) =>
      isOnPage && (overflow === "auto" || overflow === "scroll");
    const isTransparent = /^transparent$|^rgba\(.*, 0\)$/;
    const hasEdge = (["Top", "Right", "Bottom", "Left"] as const).some(
      (side) =>
        style[`border${side}Style`] !== "none" &&
        Number.parseFloat(style[`border${side}Width`]) > 0 &&
        !isTransparent.test(style[`border${side}Color`]),
    );
    return {
      clipsX: clips(style.overflowX),
      clipsY: clips(style.overflowY),
      scrollsX: scrolls(style.overflowX),
      scrollsY: scrolls(style.overflowY),
      /** a button, card or band: a visible box behind the text */
      isVisibleBox:
        isOnPage &&
        style.display !== "inline" &&
        (hasEdge ||
          !isTransparent.test(style.backgroundColor) ||
          style.backgroundImage !== "none" ||
          style.boxShadow !== "none"),
      isRound: style.borderTopLeftRadius === "50%",
      isOutOfFlow: style.position === "absolute" || style.position === "fixed",
      isOverlay: style.position === "fixed" || style.position === "sticky",
      isSticky: style.position === "sticky",
    };
  };
  const boxes = new Map<Element, ReturnType<typeof readBox>>();
  const boxOf = (element: Element) => {
    const box = boxes.get(element) ?? readBox(element);
    boxes.set(element, box);
    return box;
  };

  const hidden = new Map<Element, boolean>();
  /** Not painted, or for screen readers only. */
  const isHidden = (element: Element | null): boolean => {
    if (element === null || element === root) return false;
    let known = hidden.get(element);
    if (known === undefined) {
      const { clipsX, clipsY } = boxOf(element);
      const { clipPath } = styleOf(element);
      known =
        isHidden(element.parentElement) ||
        !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ||
        (clipsX && clipsY && element.clientWidth <= 1 && element.clientHeight <= 1) ||
        clipPath === "inset(50%)";
      hidden.set(element, known);
    }
    return known;
  };

  const overlayOf = (element: Element) => {
    for (let at: Element | null = element; at; at = at.parentElement)
      if (boxOf(at).isOverlay) return at;
    return null;
  };

  const nameOf = (element: Element) => {
    const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`);
    return `<${element.localName}${element.id ? `#${element.id}` : ""}${classes.join("")}>`;
  };

  const items: Item[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    const element = text.parentElement;
    if (!element || text.data.trim() === "") continue;
    if (element.closest("noscript, template, .scroller") || isHidden(element)) continue;
    items.push({
      element,
      kind: "text",
      name: `“${text.data.trim().slice(0, 40)}” in ${nameOf(element)}`,
      rects: () => {
        range.selectNodeContents(text);
        return [...range.getClientRects()];
      },
    });
  }
  const CONTROLS =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=menuitem]";
  for (const element of document.querySelectorAll(`${CONTROLS}, [role=img]`)) {
    if (isHidden(element)) continue;
    const said = element.getAttribute("aria-label") ?? element.textContent.trim();
    items.push({
      element,
      kind: element.matches(CONTROLS) ? "control" : "picture",
      name: `${nameOf(element)} “${said.slice(0, 40)}”`,
      rects: () => [...element.getClientRects()],
    });
  }

  window.scrollTo({ top: 0, behavior: "instant" });
  if (root.scrollWidth > width) faults.add(`the page scrolls sideways: ${root.scrollWidth} px`);
  for (const element of document.body.querySelectorAll("*")) {
    if (element.scrollWidth <= element.clientWidth + SLACK || isHidden(element)) continue;
    if (boxOf(element).scrollsX && !element.matches(".scroller"))
      faults.add(`${nameOf(element)} scrolls sideways`);
  }

  const seen: Item[] = [];
  for (const item of items) {
    const { element, kind, name, rects } = item;
    const all = rects();
    if (inWindow && !all.some(({ top, bottom }) => bottom > 0 && top < height)) continue;
    seen.push(item);
    for (const rect of all) {
      if (rect.width < 1 || rect.height < 1) continue;
      if (rect.left < -SLACK || rect.right > width + SLACK) {
        const [from, to] = [Math.round(rect.left), Math.round(rect.right)];
        faults.add(`${name} extends beyond the window: ${from} to ${to} px`);
      }
      // a line box is taller than its letters, so its top and bottom do not count
      const inset = kind === "text" ? rect.height * 0.22 : SLACK;
      const [top, bottom] = [rect.top + inset, rect.bottom - inset];
      let [canClipX, canClipY] = [true, true];
      const innermost = kind === "text" ? element : element.parentElement;
      for (let at = innermost; at; at = at.parentElement) {
        const { isVisibleBox, isRound, isOutOfFlow, clipsX, clipsY, scrollsX, scrollsY } =
          boxOf(at);
        if (scrollsX) canClipX = false;
        if (scrollsY) canClipY = false;
        if (isVisibleBox || clipsX || clipsY) {
          const box = at.getBoundingClientRect();
          const outX = rect.left < box.left - SLACK || rect.right > box.right + SLACK;
          const outY = top < box.top - SLACK || bottom > box.bottom + SLACK;
          if (
            ((clipsX || isVisibleBox) && canClipX && outX) ||
            ((clipsY || isVisibleBox) && canClipY && outY)
          ) {
            faults.add(`${name} extends beyond ${nameOf(at)}`);
          } else if (isVisibleBox && isRound && kind === "text") {
            const [radiusX, radiusY] = [box.width / 2, box.height / 2];
            const reach = Math.max(
              Math.abs(rect.left - box.left - radiusX),
              Math.abs(rect.right - box.left - radiusX),
            );
            const rise = Math.abs((rect.top + rect.bottom) / 2 - box.top - radiusY);
            if (Math.hypot(reach / radiusX, rise / radiusY) > 1) {
              faults.add(`${name} extends beyond the round ${nameOf(at)}`);
            }
          }
        }
        if (isOutOfFlow) break;
      }
    }
  }

  for (const field of document.querySelectorAll<HTMLInputElement>("input[placeholder]")) {
    if (isHidden(field) || field.value !== "") continue;
    const style = getComputedStyle(field, "::placeholder");
    const canvas = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { paddingLeft, paddingRight } = styleOf(field);
    const room =
      field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    if (canvas.measureText(field.placeholder).width > room + SLACK) {
      faults.add(`${nameOf(field)} clips its placeholder`);
    }
  }

  /** Scrolls an element's scroll containers and the window so that its point at `from` px of the window is at `to`. */
  const scroll = (element: Element, from: number, to: number) => {
    for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
      if (!boxOf(at).scrollsY || at.scrollHeight <= at.clientHeight) continue;
      const before = at.scrollTop;
      const { top, bottom } = at.getBoundingClientRect();
      at.scrollTop += from - (top + bottom) / 2;
      from -= at.scrollTop - before;
    }
    if (from < 0 || from > height || to !== height / 2 || !overlayOf(element)) {
      window.scrollBy({ top: from - to, behavior: "instant" });
    }
  };

  /** The points of the window at which to check whether a box is covered. */
  const pointsOf = ({ element, kind }: Item, rect: DOMRect): Point[] => {
    let { left, right, top, bottom } = rect;
    if (element.localName === "input") {
      // the padding may hold something, such as a button
      const { paddingLeft, paddingRight } = styleOf(element);
      left += Number.parseFloat(paddingLeft);
      right -= Number.parseFloat(paddingRight);
    }
    const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2];
    if (kind !== "text") {
      const inset = Math.min(3, (right - left) / 4, (bottom - top) / 4);
      return [
        [middleX, middleY],
        [left + inset, middleY],
        [right - inset, middleY],
        [middleX, top + inset],
        [middleX, bottom - inset],
      ];
    }
    const edge = Math.min(1.5, (right - left) / 4);
    const steps = Math.ceil((right - left) / 40);
    const along = Array.from(
      { length: steps + 1 },
      (_, step): Point => [left + edge + ((right - left - 2 * edge) * step) / steps, middleY],
    );
    const rise = (bottom - top) * 0.15;
    return [...along, [middleX, middleY - rise], [middleX, middleY + rise]];
  };

  /** The element in front of an item at one of its points, or null; undefined if no point is in the window. */
  const coverOf = (item: Item, rect: DOMRect) => {
    let isInWindow = false;
    for (const [x, y] of pointsOf(item, rect)) {
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      isInWindow = true;
      const hit = document.elementFromPoint(x, y);
      if (!hit || hit === item.element || item.element.contains(hit)) continue;
      if (hit.contains(item.element)) continue;
      return hit;
    }
    return isInWindow ? null : undefined;
  };

  for (const item of seen) {
    const { element, name, rects } = item;
    const overlay = overlayOf(element);
    for (let line = 0, count = rects().length; line < count; line++) {
      const coverAt = (to: number) => {
        const rect = rects()[line];
        if (!rect || rect.width < 1 || rect.height < 1) return null;
        const isNear = to === 0.5 && rect.top >= height * 0.2 && rect.bottom <= height * 0.8;
        if (inWindow || isNear) return coverOf(item, rect);
        scroll(element, (rect.top + rect.bottom) / 2, height * to);
        const scrolled = rects()[line];
        return scrolled ? coverOf(item, scrolled) : null;
      };
      let cover = coverAt(0.5);
      if (cover === undefined) {
        const rect = rects()[line];
        // horizontal overflow is reported above
        if (!inWindow && rect && rect.right > 0 && rect.left < width) {
          faults.add(`${name} is out of reach of scrolling`);
        }
        continue;
      }
      const coveredBy = cover && overlayOf(cover);
      if (cover && coveredBy && coveredBy !== overlay) {
        const isBar = boxOf(coveredBy).isSticky && isWithin(cover, coveredBy);
        if (inWindow || !isBar) continue;
        // a header may cover it here, but not at every scroll position
        cover = coverAt(0.3) && coverAt(0.7);
      }
      if (cover) faults.add(`${name} is covered by ${nameOf(cover)}`);
    }
  }
  return [...faults];

  /** Whether an element is inside the overlay's box, unlike a menu that opens out of it. */
  function isWithin(element: Element, overlay: Element) {
    const [inner, outer] = [element.getBoundingClientRect(), overlay.getBoundingClientRect()];
    return inner.bottom <= outer.bottom + SLACK && inner.top >= outer.top - SLACK;
  }
}
