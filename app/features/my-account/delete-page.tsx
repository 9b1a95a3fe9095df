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
        <h2>What goes, at once and for good</h2>
        <ul>
          {(isSubscribed || profile?.problem) && (
            <li>
              Your membership. Nothing more will be charged, and what is paid already is not paid
              back.
            </li>
          )}
          {profile?.isPaymentPending && (
            <li>
              Not a bank debit that is on its way: it may still arrive. Write to us then, and you
              get it back.
            </li>
          )}
          <li>Your account: address, password, passkeys, picture, and every sign-in.</li>
          <li>Your notes, highlights, place in the book, and podcast address.</li>
          <li>Your address on the newsletter’s list.</li>
        </ul>
        <h2>What stays</h2>
        <ul>
          {profile?.hasInvoices && (
            <li>
              Receipts of your payments, which Stripe has to keep for as long as the law says.
            </li>
          )}
          {communityIsOpen && (
            <li>What you have written in the community, under a made-up name.</li>
          )}
          <li>
            Nothing with your address here. Should it ever have asked not to be written to, an
            unreadable trace of it remembers that.
          </li>
        </ul>
        <p>
          Would you like your notes first? <a href="/account#data">Download your data.</a>
        </p>
      </div>
      <form method="post" action={DELETE_PATH}>
        <Button type="submit">Delete my account for good</Button>
      </form>
    </div>
  );
}
