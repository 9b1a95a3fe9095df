import { useLocation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { useRootData } from "~/features/accounts/root-data";
import { ButtonLink, PathDrawing } from "~/ui";
import { type MembershipFuture, MembershipStatusText } from "./membership-status-text";

/** Delays between checks of an unconfirmed payment, in milliseconds; two minutes in total. */
const POLL_DELAYS_MS = [1_500, 2_000, 3_000, 5_000, 8_000, 13_000, 20_000, 30_000, 40_000];

type CheckoutSuccessPageProps = {
  state: "member" | "confirming";
  /** A member's membership as just read; the viewer may be older. */
  membership: MembershipFuture | null;
};

/** The page Stripe redirects a buyer to, who is a member or soon will be. */
export function CheckoutSuccessPage({ state, membership }: CheckoutSuccessPageProps) {
  const page = useRef<HTMLElement>(null);
  const shown = useRef(state);

  useEffect(() => {
    if (shown.current === state) return;
    shown.current = state;
    // "Check again" is gone; if it had focus, move focus to the heading.
    if (document.activeElement === document.body) page.current?.querySelector("h1")?.focus();
  }, [state]);

  return (
    <section ref={page} className="frame outcome-page">
      <div role="status">
        {state === "member" ? <Member membership={membership} /> : <Confirming />}
      </div>
      {state === "confirming" && <CheckAgain />}
    </section>
  );
}

function Member({ membership }: Pick<CheckoutSuccessPageProps, "membership">) {
  const wanted = useRootData().destination?.path;
  const isText = wanted?.startsWith("/premium/") ?? false;
  return (
    <>
      <PathDrawing shows="arrived" />
      <h1 className="page-heading" tabIndex={-1}>
        You’re a premium member
      </h1>
      <p className="lead">
        {membership?.status.kind === "renews" && "Your payment went through. "}
        You now have access to the members’ area.{" "}
        {membership && <MembershipStatusText profile={membership} />}
      </p>
      <ButtonLink to={(isText && wanted) || "/premium"} className="mt-8">
        {isText ? "Continue reading" : "Go to the members’ area"}
      </ButtonLink>
    </>
  );
}

function Confirming() {
  return (
    <>
      <PathDrawing shows="waiting" />
      <h1 className="page-heading" tabIndex={-1}>
        We’re confirming your payment
      </h1>
      <p className="lead">
        Stripe hasn’t confirmed the payment yet. It usually takes seconds, but some payment methods
        take longer. You can close this page. You’ll get access as soon as the payment goes through.
      </p>
    </>
  );
}

function CheckAgain() {
  const { pathname, search } = useLocation();
  const { revalidate, state } = useRevalidator();
  const [checks, setChecks] = useState(0);
  const delay = POLL_DELAYS_MS[checks];

  useEffect(() => {
    if (state !== "idle" || delay === undefined) return;
    const timer = setTimeout(() => {
      setChecks((before) => before + 1);
      revalidate();
    }, delay);
    return () => clearTimeout(timer);
  }, [delay, state, revalidate]);

  return (
    <p className="mt-8">
      <a href={`${pathname}${search}`} className="button button-secondary">
        Check again
      </a>
    </p>
  );
}
