import { Link } from "@remix-run/react";
import type { Viewer } from "~/features/accounts/viewer";
import { ArrowLeftIcon, Button } from "~/ui";
import { ACCOUNT_PATH, DELETE_PATH } from "./account-paths";

/** The second step of deleting the account: says what is deleted and what stays, and asks to confirm. */
export function DeletePage({
  viewer,
  communityIsOpen,
}: {
  viewer: Viewer;
  communityIsOpen: boolean;
}) {
  const { user, profile, isSubscribed } = viewer;
  return (
    <div className="frame account-page account-step">
      <Link to={ACCOUNT_PATH} className="back-link">
        <ArrowLeftIcon className="size-5" />
        Keep my account
      </Link>
      <h1 className="page-heading mt-6">Delete your account?</h1>
      <p className="lead wrap-anywhere">{user.readableEmail}</p>
      <div className="account-text">
        <h2>What is deleted</h2>
        <ul>
          {(isSubscribed || profile?.problem) && (
            <li>
              Your membership. Nothing more will be charged, and past payments aren’t refunded.
            </li>
          )}
          {profile?.isPaymentPending && (
            <li>
              A bank debit that’s already on its way may still arrive. If it does, write to us and
              we’ll refund it.
            </li>
          )}
          <li>Your account: email, password, passkeys, picture, and all devices’ logins.</li>
          <li>Your notes, highlights, place in the book, and podcast address.</li>
          <li>Your newsletter subscription.</li>
        </ul>
        <h2>What stays</h2>
        <ul>
          {profile?.hasInvoices && (
            <li>
              Receipts of your payments, which Stripe has to keep for as long as the law requires.
            </li>
          )}
          {communityIsOpen && <li>What you wrote in the community, under a made-up name.</li>}
          <li>
            If you ever unsubscribed, we keep a coded form of your address so that we never write to
            it again.
          </li>
        </ul>
        <p>
          Want your notes first? <a href="/account#data">Download your data.</a>
        </p>
      </div>
      <form method="post" action={DELETE_PATH}>
        <Button type="submit">Delete my account permanently</Button>
      </form>
    </div>
  );
}
