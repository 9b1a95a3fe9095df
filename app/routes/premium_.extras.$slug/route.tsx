import type { LoaderFunctionArgs } from "@remix-run/node";
import type { RouteHandle } from "~/http/route-handle";
import { readingPage } from "../premium_.chapters_.$slug/reading-page.server";

export { default, links, meta } from "../premium_.chapters_.$slug/route";

export const handle: RouteHandle = { metricsName: "/premium/extras" };

export const loader = (args: LoaderFunctionArgs) => readingPage("extra", args);
