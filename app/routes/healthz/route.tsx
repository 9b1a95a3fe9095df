import type { LoaderFunctionArgs } from "@remix-run/node";
import { env } from "~/env.server";
import { answerSigned, describeArrival } from "~/features/checks/probe.server";
import { textResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = {
  metricsName: "/healthz",
  hostCheck: false,
  inTurn: false,
  logLevel: "debug",
};

/**
 * Liveness: whether the process answers; does not check the database. A request that knows the site's secret, as that
 * of `doctor`, is told how it arrived.
 */
export function loader({ request, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const { clientAddress = "", connection = () => ({ peer: "", isPeerTrusted: false }) } = context;
  const arrival = searchParams.has("probe")
    ? answerSigned(searchParams, () =>
        describeArrival(request.headers, {
          client: clientAddress,
          proxies: env().TRUST_PROXY,
          ...connection(),
        }),
      )
    : null;
  return textResponse(arrival ?? "ok\n");
}
