/** Whether a text is an e-mail address that Stripe takes: at a domain of two names or more. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@([\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}$/u.test(text);
}
