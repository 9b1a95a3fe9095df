import { type RefObject, useEffect } from "react";

/**
 * Makes the pictures within an element transparent that could not be loaded, so that the drawing behind each shows;
 * `markup` is a value that changes with the pictures.
 */
export function usePhotoFailures(within: RefObject<HTMLElement | null>, markup: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other markup has other pictures.
  useEffect(() => {
    const element = within.current;
    const giveUp = (image: HTMLImageElement) => {
      image.dataset.failed = "";
    };
    for (const image of element?.querySelectorAll<HTMLImageElement>("img.photo") ?? []) {
      // it may have failed before hydration
      if (image.complete && image.naturalWidth === 0) giveUp(image);
    }
    const onError = ({ target }: Event) => {
      if (target instanceof HTMLImageElement && target.matches(".photo")) giveUp(target);
    };
    // an image's error does not bubble
    element?.addEventListener("error", onError, true);
    return () => element?.removeEventListener("error", onError, true);
  }, [within, markup]);
}
