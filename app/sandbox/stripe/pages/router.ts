import type { Sandbox } from "../engine/sandbox";
import type { Form } from "../http/form";
import { checkoutPages } from "./checkout";
import { invoicePages } from "./invoice";
import type { PageResponse } from "./layout";
import { portalPages } from "./portal";

/**
 * Returns the response of a customer page: checkout, portal or invoice. `form` is null for a GET. Null if no page has
 * this path.
 */
export function routePage(sandbox: Sandbox, path: string, form: Form | null): PageResponse | null {
  const [, area, name = "", ...rest] = path.split("/");
  const [key = "", ...steps] = rest;
  if (area === "c" && name === "pay" && steps.length < 2) {
    const [step] = steps;
    if (step !== undefined && step !== "authenticate") return null;
    return checkoutPages(sandbox, key, step, form);
  }
  if (area === "p" && name === "session") return portalPages(sandbox, key, steps, form);
  if (area === "i") return invoicePages(sandbox, name, rest[0], form);
  return null;
}
