import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { formPath, signInWithForm } from "~/features/accounts/sign-in.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/auth" };

export const loader = () => redirect(formPath.signup);

export const action = (args: ActionFunctionArgs) => signInWithForm(args, "signup");
