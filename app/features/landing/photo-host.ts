/** Where the landing page's photographs come from (specification, 2): the page's policy has to allow it. */
export const PHOTO_ORIGIN = "https://images.unsplash.com";
