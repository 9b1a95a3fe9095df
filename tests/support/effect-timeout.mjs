/** How long tests wait for an effect on a busy machine, and how often they look, in milliseconds. */
export const EFFECT_TIMEOUT = { timeout: 20_000, interval: 50 };
