import type { ActionFunctionArgs } from "@remix-run/node";
import { receiveMailReports } from "~/features/newsletter/mail-reports.server";
import { clientNetworks } from "~/http/client-network.server";
import { errorResponse, readText, requirePost } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

/** Largest body that is read, in bytes. A message of Amazon SNS has 256 KB, and its JSON is escaped once more. */
const REPORTS_LIMIT = 512 * 1024;

export const handle: RouteHandle = { metricsName: "/webhooks", originCheck: false };

export const loader = () => {
  throw errorResponse(405, "Mail providers post their reports here.", { Allow: "POST" });
};

export async function action({ request, context }: ActionFunctionArgs) {
  requirePost(request);
  const signature = request.headers.get("Mail-Report-Signature");
  // signatures cover the exact bytes sent, and SNS declares its JSON as text/plain
  const body = await readText(request, REPORTS_LIMIT);
  const { clientAddress } = context;
  const network = clientAddress ? clientNetworks(clientAddress).narrow : null;
  const { status, message } = await receiveMailReports(body, signature, network);
  return new Response(message, { status });
}
