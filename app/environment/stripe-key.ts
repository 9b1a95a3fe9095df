/** Whether a key of Stripe's, secret, restricted or publishable, is of live mode; without one it is not. */
export function isLiveKey(key: string | undefined): boolean {
  return key !== undefined && /^(sk|rk|pk)_live_/.test(key);
}
