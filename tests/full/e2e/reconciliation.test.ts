import { expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { siteForThisFile } from "../../support/e2e-site";
import { control } from "../../support/payments";

const { priceId } = SANDBOX_STRIPE;

const site = siteForThisFile();

it("a payment made while the site was down, with every webhook lost, gives access through the timer alone", async () => {
  const context = (await site.visit()).context();
  await site.signUp(context, "unheard");
  const { sessionId } = await site.post(context, "/checkout", { priceId });
  await control(site.sandboxOrigin, "webhooks", { mode: "drop" });
  await control(site.sandboxOrigin, `sessions/${sessionId}/pay`);

  const isMember = async () => {
    const answer = await context.request.get("/premium", { maxRedirects: 0 });
    return answer.status() === 200;
  };
  expect(await isMember()).toBe(false);
  await site.killAndRestart();
  await expect.poll(isMember).toBe(true);
  type Deliveries = { deliveries: { state: string }[] };
  const { deliveries } = await control<Deliveries>(
    site.sandboxOrigin,
    "deliveries",
    undefined,
    "GET",
  );
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["dropped"]));
});
