import { randomUUID } from "node:crypto";
import type { Cookie } from "@remix-run/node";
import { z } from "zod";
import type { ToastMessage } from "~/toast-messages";
import { cookieName, hasCookie, signedCookie } from "./cookies.server";

/** A notice on the next page beside the toast: a new account's address should be confirmed. */
export type FlashNotice = "confirm-email";

/** Data that a response passes on to the next page; `email` is that of a form that failed. */
export type Flash = {
  id: string;
  toast: ToastMessage | null;
  email: string | null;
  notice: FlashNotice | null;
};

const flashSchema = z.object({
  id: z.string(),
  toast: z
    .object({
      title: z.string(),
      description: z.string().optional(),
      variant: z.enum(["default", "destructive"]),
      links: z.array(z.object({ label: z.string(), to: z.string() })).optional(),
    })
    .nullable(),
  email: z.string().nullable(),
  // absent from a cookie of the previous version
  notice: z.enum(["confirm-email"]).nullable().default(null),
});

const NAME = "flash";
const LIFE_SECONDS = 60;

/** The flash cookie's name. A request that carries it must not be answered from a shared cache. */
export function flashCookieName(): string {
  return cookieName(NAME);
}

function flashCookie(): Cookie {
  return signedCookie(NAME, LIFE_SECONDS);
}

/** The Set-Cookie value that carries a toast, a failed form's email and a notice over one redirect. */
export function setFlash(
  toast: ToastMessage | null,
  email: string | null = null,
  notice: FlashNotice | null = null,
): Promise<string> {
  const flash: Flash = { id: randomUUID(), toast, email: email?.slice(0, 254) ?? null, notice };
  return flashCookie().serialize(flash);
}

/** The Set-Cookie value that deletes the flash once it has been shown. */
export function clearFlash(): Promise<string> {
  return flashCookie().serialize("", { maxAge: 0, expires: new Date(0) });
}

/** The flash a request carries; null if there is none or it was not signed by this site. */
export async function readFlash(request: Request): Promise<Flash | null> {
  const header = request.headers.get("Cookie");
  if (!hasCookie(header, flashCookieName())) return null;
  const parsed = flashSchema.safeParse(await flashCookie().parse(header));
  return parsed.success ? parsed.data : null;
}
