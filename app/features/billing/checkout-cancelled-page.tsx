import { ButtonLink, PathDrawing } from "~/ui";

/** The page for visitors who left Stripe's payment page: says that nothing happened, and links back. */
export function CheckoutCanceledPage() {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <h1 className="page-heading">Nothing was charged</h1>
      <p className="lead">You left before paying. You can upgrade anytime.</p>
      <p className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to="/#purchase">Back to the premium offer</ButtonLink>
        <ButtonLink to="/" variant="secondary">
          Go to the home page
        </ButtonLink>
      </p>
    </section>
  );
}
