import { env } from "~/env.server";
import { addressOf } from "~/environment/schema.server";

/** Returns where mail to the operator goes: `OPERATOR_EMAIL`, or else the address of `MAIL_FROM`; null for neither. */
export function operatorAddress(): string | null {
  const { OPERATOR_EMAIL, MAIL_FROM } = env();
  return OPERATOR_EMAIL ?? addressOf(MAIL_FROM) ?? null;
}
