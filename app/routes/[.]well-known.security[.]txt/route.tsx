import { errorResponse, textResponse } from "~/http/request-body.server";
import { securityTxt } from "./security-txt.server";

/** Contact for vulnerability reports (RFC 9116); 404 unless the operator configured one. */
export function loader() {
  const text = securityTxt(new Date());
  if (text === null) throw errorResponse(404, "There is no such page.");
  return textResponse(text, { "Cache-Control": "public, max-age=86400" });
}
