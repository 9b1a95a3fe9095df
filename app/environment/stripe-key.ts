/** Whether a Stripe key (secret, restricted or publishable) is a live-mode key; false without one. */
export function isLiveKey(key: string | undefined): boolean {
  return key !== undefined && /^(sk|rk|pk)_live_/.test(key);
}
