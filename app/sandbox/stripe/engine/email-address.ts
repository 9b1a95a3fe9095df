/** Whether Stripe accepts a text as an e-mail address: its domain needs a top-level domain. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@([\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}$/u.test(text);
}
