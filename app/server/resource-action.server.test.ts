import {
  type ActionFunction,
  createRequestHandler,
  json,
  redirect,
  type ServerBuild,
} from "@remix-run/node";
import { describe, expect, it, vi } from "vitest";
import { errorResponse } from "~/http/request-body.server";
import { answerWithAction } from "./resource-action.server";

/** A build of Remix with one resource route, at /posts. */
function buildWith(action: ActionFunction, handleError: () => void): ServerBuild {
  const route = { id: "posts", path: "posts", module: { action } };
  return {
    routes: { posts: route },
    assets: { routes: {}, entry: { imports: [], module: "" }, url: "", version: "" },
    entry: { module: { default: () => new Response("a page"), handleError } },
    future: { v3_singleFetch: true, v3_relativeSplatPath: true, v3_throwAbortReason: true },
    basename: "/",
    publicPath: "/build/",
    assetsBuildDirectory: "",
    mode: "production",
    isSpaMode: false,
  } as unknown as ServerBuild;
}

const post = () =>
  new Request("http://localhost/posts", {
    method: "POST",
    body: "hello",
    duplex: "half",
  } as RequestInit);

async function describeAnswer(answer: Response, handleError: ReturnType<typeof vi.fn>) {
  return {
    status: answer.status,
    statusText: answer.statusText,
    headers: [...answer.headers],
    body: await answer.text(),
    errors: handleError.mock.calls.map(([error]) => String(error)),
  };
}

async function answers(action: ActionFunction) {
  const [remixError, ownError] = [vi.fn(), vi.fn()];
  const remix = createRequestHandler(buildWith(action, remixError));
  const ofRemix = await describeAnswer(await remix(post(), {}), remixError);
  const request = post();
  const answered = await answerWithAction(action, { request, context: {} }, ownError);
  return { ofRemix, own: await describeAnswer(answered, ownError) };
}

const ACTIONS: Record<string, ActionFunction> = {
  "text with a status": () => new Response("Done.", { status: 422, headers: { "X-A": "b" } }),
  JSON: () => json({ toast: null }, { status: 409, headers: { "Cache-Control": "no-store" } }),
  "two cookies": () => {
    const headers = new Headers({ "Cache-Control": "no-store" });
    headers.append("Set-Cookie", "a=1; Path=/");
    headers.append("Set-Cookie", "b=2; Path=/");
    return redirect("/account#sessions", { status: 303, headers });
  },
  "what was posted": async ({ request }) => new Response((await request.text()).toUpperCase()),
  "a redirect to a path": () => redirect("/auth?next=%2Fpremium&a=b#top", 303),
  "a redirect to another site": () => redirect("https://checkout.stripe.com/c/pay?a=b#c", 303),
  "a redirect that is thrown": () => {
    throw redirect("/auth", { headers: { "Set-Cookie": "a=1" } });
  },
  "an answer that is thrown": () => {
    throw errorResponse(415, "Send this as JSON.", { Connection: "close" });
  },
  "an answer that is thrown later": async () => {
    await Promise.resolve();
    throw new Response(null, { status: 405, headers: { Allow: "POST" } });
  },
  "an error": () => {
    throw new Error("The disk is full.");
  },
};

describe("the action of a resource route", () => {
  for (const [what, action] of Object.entries(ACTIONS)) {
    it(`is answered as by Remix: ${what}`, async () => {
      const { ofRemix, own } = await answers(action);
      expect(own).toEqual(ofRemix);
    });
  }

  it("reports an action that returns no response, with the request it was for", async () => {
    const handleError = vi.fn();
    const request = post();
    const answer = await answerWithAction(
      () => ({ done: true }),
      { request, context: {} },
      handleError,
    );
    expect([answer.status, await answer.text()]).toEqual([500, "Unexpected Server Error"]);
    expect(handleError.mock.calls[0]?.[1].request).toBe(request);
  });
});
