import { errorResponse } from "~/http/request-body.server";
import { securityTxt } from "./security-txt.server";

/** Whom to tell of a weakness of the site (RFC 9116); 404 where the operator names nobody. */
export function loader() {
  const text = securityTxt(new Date());
  if (text === null) throw errorResponse(404, "There is no such page.");
  return new Response(text, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=86400",
    },
  });
}
