import { useEffect, useRef } from "react";
import { PHOTO_ORIGIN } from "./photo-host";

export type Photo = {
  /** The photo's path on the stock photo host. */
  id: string;
  alt: string;
  /** Largest size served, in CSS pixels; it also fixes the aspect ratio. */
  width: number;
  height: number;
  /** Widths offered to the browser, in pixels. */
  widths: readonly number[];
};

type ExternalPhotoProps = {
  photo: Photo;
  sizes: string;
  /** The largest picture above the fold: fetched before the others, never lazily. */
  priority?: boolean;
};

/**
 * A picture from the external stock photo host, laid over a drawing of our own (the parent's first
 * child). While it loads, the drawing shows through. If it fails, a layer with the drawing covers the
 * browser's broken-image icon (external-photo.css), and with JavaScript the picture becomes transparent.
 */
export function ExternalPhoto({ photo, sizes, priority = false }: ExternalPhotoProps) {
  const ref = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const image = ref.current;
    if (!image) return;
    const giveUp = () => {
      image.dataset.failed = "";
    };
    // it may have failed before hydration
    if (image.complete && image.naturalWidth === 0) giveUp();
    image.addEventListener("error", giveUp);
    return () => image.removeEventListener("error", giveUp);
  }, []);

  const address = (width: number) =>
    `${PHOTO_ORIGIN}/${photo.id}?auto=format&fit=crop&q=75&w=${width}&h=${Math.round((width * photo.height) / photo.width)}`;
  return (
    <img
      ref={ref}
      className="external-photo"
      src={address(photo.width)}
      srcSet={photo.widths.map((width) => `${address(width)} ${width}w`).join(", ")}
      sizes={sizes}
      width={photo.width}
      height={photo.height}
      alt={photo.alt}
      decoding="async"
      loading={priority ? "eager" : "lazy"}
      // React 18 knows the attribute only in lower case
      {...(priority ? { fetchpriority: "high" } : {})}
      referrerPolicy="no-referrer"
    />
  );
}
