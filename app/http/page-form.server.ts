import { errorResponse, type FormBody, readForm } from "./request-body.server";

/**
 * As `readForm`, for a URL that is both a page and its form's target. Remix always answers such a URL with a
 * page, so a JSON body, whose sender expects JSON back, is rejected with a 415 Response.
 */
export async function readPageForm(request: Request, limit?: number): Promise<FormBody> {
  const form = await readForm(request, limit);
  if (form.wantsJson) throw errorResponse(415, "Please use the form on this page.");
  return form;
}
