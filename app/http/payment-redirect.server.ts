import { redirect } from "@remix-run/node";

/**
 * The response to a form that sends the browser to a payment page. After a form, Chromium follows redirects only to
 * origins in the page's policy (https://www.w3.org/TR/CSP3/#directive-form-action), here `allowedOrigins`, and fails
 * silently otherwise. For any other origin the response is an intermediate page that forwards without a script.
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
