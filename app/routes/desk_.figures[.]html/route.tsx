import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { readRange, recentStatistics } from "~/features/desk/figures.server";
import { renderReport } from "~/features/statistics/report.server";
import { errorResponse, textResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { inTurn: false };

/** The report of a range as a file, as `stats report` writes it. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const range = readRange(new URL(args.request.url).searchParams);
  if (!range) throw errorResponse(422, "This is no range of months.");
  const statistics = await recentStatistics(range);
  if (!statistics)
    throw errorResponse(503, "The figures are being counted. Try again in a minute.");
  return textResponse(renderReport(statistics), {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Disposition": 'attachment; filename="figures.html"',
  });
}
