import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { signOutWithForm } from "~/features/accounts/sign-out.server";

export const loader = () => redirect("/");

export const action = (args: ActionFunctionArgs) => signOutWithForm(args);
