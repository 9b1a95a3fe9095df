import { useRouteLoaderData } from "@remix-run/react";
import type { loader } from "~/root";
import type { RootData } from "~/shell/root-data.server";

/** What the root loader knows of this visit. Throws where it failed, as on the error page. */
export function useRootData(): RootData {
  const root = useRouteLoaderData<typeof loader>("root");
  if (!root) throw new Error("useRootData needs the root loader's data");
  return root;
}
