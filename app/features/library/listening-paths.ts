/** Where the place in a sound is kept. */
export const LISTENING_PATH = "/premium/listening";
