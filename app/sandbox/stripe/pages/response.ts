/** How a page answers: with markup, or by sending the browser on. */
export type PageResponse = { page: string; status?: number } | { redirect: string };
