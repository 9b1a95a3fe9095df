import {
  data,
  type HeadersFunction,
  type LinksFunction,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { ownsPasskeys } from "~/features/accounts/passkeys/manage-passkeys.server";
import { requireAuthor } from "~/features/desk/author.server";
import deskStyles from "~/features/desk/desk.css";
import { DeskFrame } from "~/features/desk/desk-frame";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: deskStyles }];

export const handle: RouteHandle = { frame: "desk" };

export const headers: HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export async function loader(args: LoaderFunctionArgs) {
  const { userId } = await requireAuthor(args);
  return data({ hasPasskey: await ownsPasskeys(userId) });
}

export default function Desk() {
  return (
    <DeskFrame {...useLoaderData<typeof loader>()}>
      <Outlet />
    </DeskFrame>
  );
}
