import { redirect } from "@remix-run/node";

/**
 * The answer to a form that sends a browser to a payment page. Chromium follows a redirect after a form only
 * to origins in the page's policy (https://www.w3.org/TR/CSP3/#directive-form-action), which are
 * `allowedOrigins`, and stays silently where it is otherwise; to any other origin leads a page of its own,
 * which needs no script.
 */
export function redirectToPayment(url: string, allowedOrigins: readonly string[]): Response {
  const headers = { "Cache-Control": "no-store" };
  if (allowedOrigins.includes(new URL(url).origin)) {
    return redirect(url, { status: 303, headers });
  }
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0;url=${address}">
<title>Redirecting...</title>
</head>
<body><p><a href="${address}">Go on to the payment page</a></p></body>
</html>
`;
  return new Response(page, {
    headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
  });
}
