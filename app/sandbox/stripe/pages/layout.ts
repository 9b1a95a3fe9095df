import { Html, html } from "./html";

/** The business name shown on the pages. */
export const BUSINESS_NAME = "the site";

const STYLES = `
:root{--ink:#1f2430;--soft:#5a6170;--line:#d9dce3;--paper:#fff;--ground:#f4f5f8;--brand:#4b3fd6;
--brand-dark:#382eb0;--bad:#a1241b;--bad-ground:#fdeeec;--good:#1c6b41;--good-ground:#e9f6ee}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
.stand-in{margin:0;padding:.6rem 1rem;background:#fff3cf;color:#4d3800;text-align:center;
border-bottom:1px solid #e5cf8b}
main{max-width:30rem;margin:2rem auto;padding:0 1rem}
main.wide{max-width:76rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
.price{font-size:2rem;font-weight:650;margin:.25rem 0 1.25rem}
.price small{font-size:1rem;font-weight:400;color:var(--soft)}
.card{background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem;
margin:0 0 1.5rem}
.card>:first-child,.card>form>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
.soft{color:var(--soft)}
label,legend{font-weight:600}
fieldset{border:0;padding:0;margin:0 0 1.25rem}
legend{padding:0;margin-bottom:.35rem}
.choice{display:flex;gap:.6rem;align-items:flex-start;min-height:44px;padding:.5rem 0;font-weight:400}
.choice input{width:1.15rem;height:1.15rem;margin:.2rem 0 0;flex:none}
.choice span{display:block}
.field{margin:0 0 1rem}
.field label{display:block;margin-bottom:.25rem}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
input[type=text],input[type=email],input[type=number],select{width:100%;min-height:44px;
padding:.5rem .7rem;font:inherit;color:inherit;background:#fff;border:1px solid #8b92a1;
border-radius:.5rem}
button,.button{display:inline-block;min-height:44px;padding:.6rem 1.1rem;font:inherit;font-weight:600;
color:#fff;background:var(--brand);border:1px solid var(--brand);border-radius:.5rem;cursor:pointer;
text-decoration:none;text-align:center}
button:hover,.button:hover{background:var(--brand-dark)}
button.plain,.button.plain{background:#fff;color:var(--brand-dark);border-color:#8b92a1}
button.plain:hover,.button.plain:hover{background:var(--ground)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center}
.full{width:100%}
a{color:var(--brand-dark)}
:focus-visible{outline:3px solid #f2a900;outline-offset:2px}
[role=alert],[role=status]{padding:.75rem 1rem;border-radius:.5rem;margin:0 0 1.25rem}
[role=alert]{background:var(--bad-ground);color:var(--bad);border:1px solid #e9b7b2}
[role=status]{background:var(--good-ground);color:var(--good);border:1px solid #b4dcc4}
table{width:100%;border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .6rem .5rem 0;border-top:1px solid var(--line)}
.scroll{overflow-x:auto}
main.wide form{display:inline-flex;flex-wrap:wrap;gap:.35rem;align-items:center;margin:.15rem .35rem .15rem 0}
main.wide form button{min-height:32px;padding:.2rem .7rem;font-size:.85rem}
main.wide form input,main.wide form select{min-height:32px;padding:.2rem .5rem;font-size:.85rem;width:auto}
main.wide form input[type=number]{width:6rem}
main.wide form label{font-weight:400;font-size:.85rem}
code{font-size:.85em;overflow-wrap:anywhere}
td code{white-space:nowrap}
@media (prefers-reduced-motion:no-preference){button,.button{transition:background .15s}}
`;

/** Renders a whole page, with a notice that it is a stand-in and no money moves. */
export function layout(title: string, content: Html, wide = false): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Local Stripe</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLES)}</style>
</head>
<body>
<header class="stand-in"><strong>Local test stand-in for Stripe.</strong> No money moves here and no real card works.</header>
<main${wide && html` class="wide"`}>
${content}
</main>
</body>
</html>
`.markup;
}

/** Renders a page with a message and an optional link. */
export function messagePage(
  title: string,
  message: string,
  link: { href: string; label: string } | null = null,
): string {
  return layout(
    title,
    html`<div class="card"><h1>${title}</h1><p>${message}</p>${
      link && html`<p><a class="button" href="${link.href}">${link.label}</a></p>`
    }</div>`,
  );
}

/** Formats cents as an amount: `$9.99` for 999. */
export function formatMoney(cents: number, currency: string): string {
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: currency.toUpperCase(),
  }).format(cents / 100);
}

/** Formats Unix seconds as a UTC day: `March 4, 2027`. */
export function formatDay(seconds: number): string {
  return new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" }).format(
    seconds * 1000,
  );
}

/** Formats Unix seconds in UTC: `2027-03-04 09:30:00`. */
export function formatTimestamp(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** A page's response: markup or a redirect. */
export type PageResponse = { page: string; status?: number } | { redirect: string };
