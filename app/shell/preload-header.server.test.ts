import { describe, expect, it } from "vitest";
import { preloadHeader } from "./preload-header.server";

const font = { rel: "preload", href: "/build/a.woff2", as: "font", type: "font/woff2" } as const;
const style = { rel: "stylesheet", href: "/build/app-1.css" } as const;

describe("the Link header of a page", () => {
  it("names its style sheets, then its fonts, each once", () => {
    expect(preloadHeader([font, style, style])).toBe(
      '</build/app-1.css>; rel=preload; as=style, </build/a.woff2>; rel=preload; as=font; type="font/woff2"; crossorigin',
    );
  });

  it("is absent when the page needs neither", () => {
    expect(preloadHeader([{ rel: "icon", href: "/icon.svg" }, { page: "/auth" }])).toBeNull();
  });

  it("leaves out style sheets for some screens only, other origins and what could end the header", () => {
    expect(
      preloadHeader([
        { ...style, media: "print" },
        { ...style, href: "https://cdn.example/app.css" },
        { ...style, href: "/build/a.css>; rel=x, <" },
      ]),
    ).toBeNull();
  });
});
