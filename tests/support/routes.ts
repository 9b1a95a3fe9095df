import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { readFlash } from "~/http/flash.server";
import { loader as logInPage } from "~/routes/auth/route";

/** The origin of hand-built requests; PUBLIC_URL's default. */
export const ORIGIN = "http://localhost:3000";

type Handler = (args: ActionFunctionArgs & LoaderFunctionArgs) => unknown;

type Posted = {
  path?: string;
  /** Sent as an urlencoded form; pairs allow a repeated name. */
  form?: Record<string, string> | [string, string][];
  /** Sent as JSON instead. */
  json?: unknown;
  cookie?: string;
};

/** Posts to a route's action as a browser would; returns the response that it returned or threw. */
export function post(action: Handler, { path = "/", form, json, cookie }: Posted) {
  const headers = new Headers(cookie ? { Cookie: cookie } : {});
  if (json !== undefined) headers.set("Content-Type", "application/json");
  return call(
    action,
    new Request(ORIGIN + path, {
      method: "POST",
      headers,
      body: json === undefined ? new URLSearchParams(form) : JSON.stringify(json),
    }),
  );
}

/** Calls a route's loader. */
export function get(
  loader: Handler,
  path = "/",
  cookie?: string,
  params: Record<string, string> = {},
): Promise<Response> {
  const headers: Record<string, string> = cookie ? { Cookie: cookie } : {};
  return call(loader, new Request(ORIGIN + path, { headers }), params);
}

/** Calls a loader or action with a request and a new context; returns the response that it returned or threw. */
export async function call(
  handler: Handler,
  request: Request,
  params: Record<string, string> = {},
): Promise<Response> {
  try {
    const answer = await handler({ request, params, context: {} } as ActionFunctionArgs);
    return answer instanceof Response ? answer : jsonOf(answer);
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  }
}

/** A loader's result as a JSON response, with the headers given to Remix's `data()`. */
function jsonOf(answer: unknown): Response {
  const isWrapped =
    answer !== null && typeof answer === "object" && "data" in answer && "init" in answer;
  if (!isWrapped) return Response.json(answer ?? null);
  return Response.json(answer.data, (answer.init ?? undefined) as ResponseInit | undefined);
}

/** The cookies that a response sets, as a browser would send them, without deleted ones. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .filter((cookie) => !/max-age=0/i.test(cookie))
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** Where a response leads a browser that keeps cookies: after a sign-in, by way of the log-in page. */
export async function leadsTo(response: Response): Promise<string | null> {
  const location = response.headers.get("Location");
  if (!location?.startsWith("/auth?signed-in=")) return location;
  const next = await get(logInPage, location, cookiesOf(response));
  return next.headers.get("Location");
}

/** The flash that a response sets for the next page. */
export function flashOf(response: Response) {
  return readFlash(new Request(ORIGIN, { headers: { Cookie: cookiesOf(response) } }));
}
