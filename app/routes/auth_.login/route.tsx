import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { formPath, signInWithForm } from "~/features/accounts/sign-in.server";

export const loader = () => redirect(formPath.login);

export const action = ({ request }: ActionFunctionArgs) => signInWithForm(request, "login");
