import type { Sandbox } from "../engine/sandbox";
import type { Form } from "../http/form";
import {
  payCheckout,
  showAuthentication,
  showCheckout,
  submitCheckoutAuthentication,
} from "./checkout";
import { payInvoicePage, showInvoice } from "./invoice";
import { actInPortal, showPortal } from "./portal";
import type { PageResponse } from "./response";

/**
 * The response of a page for customers: checkout, portal or invoice. `form` is null for a GET. Null if no
 * page has this path.
 */
export function routePage(sandbox: Sandbox, path: string, form: Form | null): PageResponse | null {
  const [area = "", ...rest] = path.split("/").slice(1);
  if (area === "c" && rest[0] === "pay") {
    const [, id = "", page] = rest;
    if (rest.length > 3) return null;
    if (page === "authenticate") {
      return form
        ? submitCheckoutAuthentication(sandbox, id, form)
        : showAuthentication(sandbox, id);
    }
    if (page !== undefined) return null;
    return form ? payCheckout(sandbox, id, form) : showCheckout(sandbox, id);
  }
  if (area === "p" && rest[0] === "session") {
    const [, key = "", ...page] = rest;
    return form ? actInPortal(sandbox, key, page, form) : showPortal(sandbox, key, page);
  }
  if (area === "i") {
    const [id = "", ...page] = rest;
    return form ? payInvoicePage(sandbox, id, page, form) : showInvoice(sandbox, id, page);
  }
  return null;
}
