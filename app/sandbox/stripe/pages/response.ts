/** The response of a page: markup or a redirect. */
export type PageResponse = { page: string; status?: number } | { redirect: string };
