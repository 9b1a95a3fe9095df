import type { AppLoadContext } from "@remix-run/node";
import { type FormBody, readForm, refusal } from "./request-body.server";

/**
 * As `readForm`, for an address that is both a page and its form's target. Remix always answers such an
 * address with a page, so a JSON body, whose sender expects JSON back, is refused with a 415 Response.
 */
export async function readPageForm(request: Request, context?: AppLoadContext): Promise<FormBody> {
  const form = await readForm(request, context);
  if (form.wantsJson) throw refusal(415, "Please use the form on this page.");
  return form;
}
