import type { PhotoSource } from "./photo";

/** The host of the landing page's photographs (specification, 2); the Content-Security-Policy allows it. */
export const PHOTO_ORIGIN = "https://images.unsplash.com";

type StockPhoto = {
  /** The photo's path on its host. */
  id: string;
  alt: string;
  /** Largest size served, in CSS pixels; it also fixes the aspect ratio. */
  width: number;
  height: number;
  /** Widths offered to the browser, in pixels. */
  widths: readonly number[];
};

/** A photograph of the external host, cropped there to the sizes that browsers may choose from. */
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
