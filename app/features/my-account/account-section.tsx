import type { ReactNode } from "react";
import type { AccountSectionId } from "./account-paths";

/** A section of the account page, with the id its forms return to. */
export function AccountSection({
  id,
  title,
  children,
}: {
  id: AccountSectionId;
  title: string;
  children: ReactNode;
}) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="account-section">
      <h2 id={`${id}-title`}>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
