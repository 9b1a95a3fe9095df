import type { ActionFunction, AppLoadContext, HandleErrorFunction } from "@remix-run/node";
import { createPath, resolvePath } from "@remix-run/react";

/** Addresses with a scheme or a host, which Remix leaves as they are. */
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/**
 * Answers a post with the action of a resource route, as Remix does (`resource-action.server.test.ts` compares them): a
 * Response that is thrown is the answer too, and an unexpected error goes to `handleError`. What Remix does around an
 * action for pages takes longer than most actions (`docs/decisions/0042-posts-without-the-router.md`).
 */
export async function answerWithAction(
  action: ActionFunction,
  { request, context }: { request: Request; context: AppLoadContext },
  handleError: HandleErrorFunction,
): Promise<Response> {
  const args = { request, context, params: {} };
  try {
    const answer: unknown = await action(args);
    if (!(answer instanceof Response)) throw new Error("An action has returned no Response.");
    return isRedirect(answer) ? withPlainLocation(answer) : answer;
  } catch (thrown) {
    if (thrown instanceof Response) {
      if (isRedirect(thrown)) return withPlainLocation(thrown);
      thrown.headers.set("X-Remix-Catch", "yes");
      return thrown;
    }
    handleError(thrown, args);
    return new Response("Unexpected Server Error", {
      status: 500,
      headers: { "Content-Type": "text/plain" },
    });
  }
}

function isRedirect({ status, headers }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.has("Location");
}

/** With the path of a Location as Remix's router writes it. */
function withPlainLocation(redirect: Response): Response {
  const location = redirect.headers.get("Location") ?? "/";
  if (!ABSOLUTE.test(location)) redirect.headers.set("Location", createPath(resolvePath(location)));
  return redirect;
}
