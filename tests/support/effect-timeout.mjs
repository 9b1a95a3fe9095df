/**
 * How long tests wait for an effect on a busy machine, and how often they check, in milliseconds. Mutation tests wait
 * less, since there the effect often never comes.
 */
export const EFFECT_TIMEOUT = {
  timeout: Number(process.env.EFFECT_TIMEOUT_MS ?? 60_000),
  interval: 50,
};
