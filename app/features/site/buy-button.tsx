import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button, NoticeForm } from "~/ui";
import { useSite } from "./page-site";

/**
 * A button to buy the printed book. It leads to the shop; to a choice of several; without a shop, to the membership.
 * The sample's shows the specified notice.
 */
export function BuyButton({
  className = "",
  children,
}: {
  className?: string;
  children: ReactNode;
}) {
  const { isSample, shops } = useSite();
  const look = `button button-primary ${className}`;
  if (isSample) {
    return (
      <NoticeForm notice="purchase">
        <Button type="submit" className={className}>
          {children}
        </Button>
      </NoticeForm>
    );
  }
  const [shop, ...others] = shops;
  if (others.length === 0) {
    return (
      <Link to={shop?.url ?? "/#purchase"} className={look}>
        {children}
      </Link>
    );
  }
  return (
    <details className="shops">
      <summary className={look}>{children}</summary>
      <ul>
        {shops.map(({ name, url }) => (
          <li key={url}>
            <a href={url} className="menu-item">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
