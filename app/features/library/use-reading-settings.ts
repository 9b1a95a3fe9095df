import { useRouteLoaderData } from "@remix-run/react";
import { DEFAULT_READING_SETTINGS, type ReadingSettings } from "./reading-settings";

/** How the page is set, from the root loader's data; as by default where the root has none. */
export function useReadingSettings(): ReadingSettings {
  const root = useRouteLoaderData("root") as { reading?: ReadingSettings | null } | undefined;
  return root?.reading ?? DEFAULT_READING_SETTINGS;
}
