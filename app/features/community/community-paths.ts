/** The members' entrance to the community. */
export const COMMUNITY_PATH = "/premium/community";

/** Where Discourse sends users to log in: its `discourse_connect_url`. */
export const CONNECT_PATH = "/community/connect";
