import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { formPath, signInWithForm } from "~/features/accounts/sign-in.server";

export const loader = () => redirect(formPath.signup);

export const action = (args: ActionFunctionArgs) => signInWithForm(args, "signup");
