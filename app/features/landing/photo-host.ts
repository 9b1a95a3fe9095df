/** The host of the landing page's photographs (specification, 2); the Content-Security-Policy allows it. */
export const PHOTO_ORIGIN = "https://images.unsplash.com";
