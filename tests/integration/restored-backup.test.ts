import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import { emailConfirmationToken } from "~/features/accounts/email-confirmation.server";
import { startCheckout } from "~/features/billing/checkout.server";
import { linkToCheckout } from "~/features/billing/checkout-link.server";
import { giveBackMembership } from "~/features/billing/lost-membership.server";
import { reconcileFromStripe } from "~/features/billing/reconcile-from-stripe.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { isSubscribed } from "~/features/membership/access";
import { action as openLink } from "~/routes/auth_.confirm-email/route";
import { findProfile, replaceCustomer } from "~db/queries/profiles";
import { confirmEmail, insertUser } from "~db/queries/users";
import { deleteUser } from "../support/delete-user";
import { eventually } from "../support/eventually";
import { control, newMember, type Payer } from "../support/payments";
import { post } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite({ payments: {} });
afterEach(async () => {
  await control(site.sandboxOrigin, "reset");
});

const { priceId } = SANDBOX_STRIPE;
type Account = { id: string; email: string };

/** A member whose account is not in the restored backup, and who has signed up again. */
async function signedUpAgain(): Promise<{ member: Payer; account: Account }> {
  const member = await newMember(site.sandboxOrigin);
  await deleteUser(member.id);
  const user = await insertUser({ email: member.email, passwordHash: "not a hash" });
  if (!user) throw new Error("The address is taken.");
  return { member, account: { id: user.id, email: user.email } };
}

const confirm = ({ id, email }: Account) => confirmEmail({ userId: id, email }, new Date());
const customerOf = async ({ id }: Account) => (await findProfile(id))?.stripeCustomerId ?? null;
const hasAccess = async ({ id }: Account) => isSubscribed(await findProfile(id), new Date());
const subscriptions = async () => (await stripeClient().subscriptions.list()).data;

describe("a member who paid after the restored backup was made, and signs up again", () => {
  it("is sold nothing before the address is confirmed", async () => {
    const { account } = await signedUpAgain();
    expect(await linkToCheckout(account, priceId)).toMatchObject({ kind: "unconfirmed" });
    expect(await customerOf(account)).toBeNull();
    const { data } = await stripeClient().customers.list({ email: account.email });
    expect(data).toHaveLength(1);
  });

  it("gets the membership back with the confirmation", async () => {
    const { member, account } = await signedUpAgain();
    await post(openLink, { form: { token: emailConfirmationToken(account) } });
    await eventually(async () => expect(await hasAccess(account)).toBe(true));
    expect(await customerOf(account)).toBe(member.customer);
    expect(await subscriptions()).toMatchObject([{ metadata: { userId: account.id } }]);
    expect(await startCheckout(account, priceId)).toMatchObject({ kind: "portal" });
  });

  it("gets it back in the checkout if Stripe did not answer at the confirmation", async () => {
    const { member, account } = await signedUpAgain();
    await control(site.sandboxOrigin, "faults", { kind: "error", status: 503, times: 9 });
    await confirm(account);
    await giveBackMembership(account.id);
    await control(site.sandboxOrigin, "faults/clear");
    expect(await hasAccess(account)).toBe(false);
    expect(await startCheckout(account, priceId)).toMatchObject({ kind: "portal" });
    expect(await customerOf(account)).toBe(member.customer);
    expect(await subscriptions()).toHaveLength(1);
  });

  it("gets it back by the operator's command, also with a customer from a checkout", async () => {
    const { member, account } = await signedUpAgain();
    expect((await reconcileFromStripe()).unresolved).toMatchObject([
      { subscriptionId: member.subscription, owner: { kind: "ownerless" } },
    ]);
    const { id: empty } = await stripeClient().customers.create({});
    await replaceCustomer(account.id, null, empty);
    await confirm(account);
    // Stripe keeps an address as it was typed
    const email = member.email.toUpperCase();
    await stripeClient().customers.update(member.customer, { email });
    expect(await reconcileFromStripe()).toMatchObject({ synced: 1, unresolved: [] });
    expect(await hasAccess(account)).toBe(true);
  });

  it("gets nobody else's: not one that has an account, that has ended, or of another site", async () => {
    const member = await newMember(site.sandboxOrigin);
    const { member: ended, account } = await signedUpAgain();
    await stripeClient().subscriptions.cancel(ended.subscription);
    await stripeClient().customers.update(member.customer, { email: account.email });
    await confirm(account);
    await giveBackMembership(account.id);
    expect(await customerOf(account)).toBeNull();

    const { member: other, account: stranger } = await signedUpAgain();
    const metadata = { golden_path_site: "another" };
    await stripeClient().customers.update(other.customer, { metadata });
    await stripeClient().subscriptions.update(other.subscription, { metadata });
    await confirm(stranger);
    expect(await startCheckout(stranger, priceId)).toMatchObject({ kind: "checkout" });
    expect(await customerOf(stranger)).not.toBe(other.customer);
  });
});
