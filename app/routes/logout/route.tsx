import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { signOutWithForm } from "~/features/accounts/sign-out.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/logout" };

export const loader = () => redirect("/");

export const action = (args: ActionFunctionArgs) => signOutWithForm(args);
