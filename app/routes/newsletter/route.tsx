import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { subscribe } from "~/features/newsletter/subscribe.server";
import { answerForm } from "~/server/form-answer.server";
import { readForm } from "~/server/request-body.server";
import { safeRedirect } from "~/server/safe-redirect";

export const loader = () => redirect("/#newsletter");

export async function action({ request }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { email, redirectTo } = form.fields;
  const { subscribed, toast, status } = await subscribe(email);
  return answerForm(form, {
    toast,
    status,
    redirectTo: safeRedirect(redirectTo, "/#newsletter"),
    body: { subscribed },
    email: !subscribed && typeof email === "string" ? email : null,
  });
}
