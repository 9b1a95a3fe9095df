import type { PhotoSource } from "./photo";

/** Host of the landing page's photographs (specification, 2). The Content-Security-Policy allows it. */
export const PHOTO_ORIGIN = "https://images.unsplash.com";

type StockPhoto = {
  /** The photo's path on its host. */
  id: string;
  alt: string;
  /** Largest size served, in CSS pixels, which also sets the aspect ratio. */
  width: number;
  height: number;
  /** Widths offered to the browser, in pixels. */
  widths: readonly number[];
};

/** Returns a photograph from the external host, which crops it to the sizes that browsers may choose. */
export function stockPhoto({ id, alt, width, height, widths }: StockPhoto): PhotoSource {
  const address = (shown: number) =>
    `${PHOTO_ORIGIN}/${id}?auto=format&fit=crop&q=75&w=${shown}&h=${Math.round((shown * height) / width)}`;
  return {
    src: address(width),
    srcSet: widths.map((shown) => `${address(shown)} ${shown}w`).join(", "),
    width,
    height,
    alt,
  };
}
