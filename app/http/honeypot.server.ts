import { log } from "~/observability/log.server";
import { rateLimited } from "~/observability/metrics.server";
import { HONEYPOT_FIELD } from "~/ui";
import type { FormBody } from "./request-body.server";

/** Whether a bot filled in the form: the honeypot field, invisible to people, is not empty. */
export function isSpam(fields: FormBody["fields"]): boolean {
  const value = fields[HONEYPOT_FIELD];
  if (value === undefined || value === "") return false;
  rateLimited.inc({ limited: "honeypot", by: "field" });
  log().info("a form was dropped: its honeypot was filled in");
  return true;
}
