/** Whether a path is in the members' area. */
export const isMembersPath = (path: string) => path === "/premium" || path.startsWith("/premium/");
