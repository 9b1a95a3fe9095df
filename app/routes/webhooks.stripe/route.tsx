import type { ActionFunctionArgs } from "@remix-run/node";
import { PaymentsNotConfigured } from "~/features/billing/stripe-client.server";
import { receiveWebhook } from "~/features/billing/webhook.server";
import { clientNetworks } from "~/http/client-network.server";
import { errorResponse, readText } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

/** Largest webhook body that is read, in bytes. Stripe's own events are far smaller. */
const WEBHOOK_LIMIT = 1024 * 1024;

export const handle: RouteHandle = {
  metricsName: "/webhooks",
  hostCheck: false,
  originCheck: false,
};

export const loader = () => {
  throw errorResponse(405, "Stripe posts its events here.", { Allow: "POST" });
};

export async function action({ request, context }: ActionFunctionArgs) {
  if (request.method !== "POST") {
    throw errorResponse(405, "Stripe posts its events here.", { Allow: "POST" });
  }
  const signature = request.headers.get("Stripe-Signature");
  // the signature covers the exact bytes sent, so the body stays text
  const body = await readText(request, WEBHOOK_LIMIT);
  const { clientAddress } = context;
  const network = clientAddress ? clientNetworks(clientAddress).narrow : null;
  try {
    const { status, message } = await receiveWebhook(body, signature, network);
    return new Response(message, { status });
  } catch (error) {
    if (error instanceof PaymentsNotConfigured) return new Response(error.message, { status: 503 });
    throw error;
  }
}
