import { z } from "zod";
import { allOf, type Collection } from "../engine/objects";
import { itemOf } from "../engine/subscriptions";
import { groupDigits, TEST_CARDS } from "../engine/test-cards";
import { type Html, html } from "../pages/html";
import { formatTimestamp, layout } from "../pages/layout";
import { CONTROL_ROOT, type ControlAction, type ControlContext } from "./action";
import { ACTIONS, summary } from "./api";

const MAX_ROWS = 50;

/** The kinds of object in the actions' paths, such as `customers/:id/subscribe`, and where the state has them. */
const KINDS: Record<string, Collection> = {
  subscriptions: "subscriptions",
  sessions: "checkoutSessions",
  customers: "customers",
  prices: "prices",
  refunds: "refunds",
  disputes: "disputes",
  events: "events",
};

/** The fields of objects that a tester looks for. Times are Unix seconds. */
const FACTS =
  "url type email customer charge status payment_status unit_amount deleted deliveries".split(" ");
const TIMES = "cancel_at current_period_start current_period_end expires_at created".split(" ");

/** The tester's page: the whole state, with a form for each control action. */
export function controlPage(context: ControlContext, notice: string | null): string {
  const { sandbox } = context;
  const posted = ACTIONS.filter(({ method }) => method === "POST");
  return layout(
    "Control",
    html`<h1>Local Stripe</h1>
<p class="soft">The state of this stand-in, with buttons for what happens by itself at the real Stripe. The same is available over HTTP under <code>/_control</code>.</p>
${notice && html`<p role="status">${notice}</p>`}
<h2>Everything</h2>
<p>${formatTimestamp(sandbox.now())} UTC. Moving the clock on runs the renewals, payment retries, subscription ends and session expiries that fall due, in order. A reset keeps the catalog, the portal's configuration and the webhook endpoints.</p>
${posted.filter(({ pattern }) => !pattern.includes("/:id/")).map((action) => html`<div>${actionForm(action)}</div>`)}
<details><summary>State</summary><pre>${JSON.stringify(summary(context), null, 2)}</pre></details>
${Object.entries(KINDS).map(([kind, collection]) => {
  const actions = posted.filter(({ pattern }) => pattern.startsWith(`${CONTROL_ROOT}${kind}/:id/`));
  return html`<h2>${kind}</h2>${objectTable(context, collection, actions)}`;
})}
<h2>Test cards</h2>
${table(
  ["Number", "What it does"],
  Object.entries(TEST_CARDS).map(([number, { label }]) => [groupDigits(number), label]),
)}`,
    true,
  );
}

function table(heads: string[], rows: (Html | Html[] | string)[][]): Html {
  return html`<div class="scroll"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** The latest objects of a kind, each with its facts and a form for each of its actions. */
function objectTable(
  { sandbox }: ControlContext,
  collection: Collection,
  actions: ControlAction[],
): Html {
  const objects = allOf(sandbox, collection).slice(-MAX_ROWS).reverse();
  if (objects.length === 0) return html`<p class="soft">None yet.</p>`;
  const rows = objects.map((object): Record<string, unknown> & { id: string } => {
    const deliveries = [...sandbox.state.deliveries.values()]
      .filter(({ eventId }) => eventId === object.id)
      .map(({ state, attempts }) => `${state} (${attempts.at(-1)?.status ?? "no answer"})`);
    return {
      ...("items" in object && itemOf(object)),
      ...(deliveries.length > 0 && { deliveries: deliveries.join(", ") }),
      ...object,
    };
  });
  const facts = [...FACTS, ...TIMES].filter((name) => rows.some((row) => row[name] != null));
  return table(
    ["id", ...facts, "actions"],
    rows.map((row) => [
      html`<code>${row.id}</code>`,
      ...facts.map((name) => factOf(name, row[name] ?? "")),
      actions.map((action) => actionForm(action, row.id)),
    ]),
  );
}

function factOf(name: string, value: unknown): Html | string {
  if (name === "url" && value !== "") return html`<a href="${String(value)}">Open</a>`;
  return typeof value === "number" && TIMES.includes(name) ? formatTimestamp(value) : String(value);
}

/** The form of an action, with a field for each of its parameters but lists. */
function actionForm({ pattern, shape }: ControlAction, id?: string): Html {
  const { properties = {} } = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });
  const name = pattern.slice(id === undefined ? CONTROL_ROOT.length : pattern.lastIndexOf("/") + 1);
  return html`<form method="post" action="${pattern.replace(":id", id ?? "")}">${Object.entries(
    properties as Record<string, Parameter>,
  ).map(([parameter, of]) =>
    field(parameter, of),
  )}<button type="submit" class="plain">${name}</button></form>`;
}

/** A parameter as JSON Schema says it. */
type Parameter = { type?: string | string[]; enum?: string[]; default?: unknown };

function field(name: string, { type = "string", enum: named, default: preset }: Parameter): Html {
  if (type === "array") return html``;
  const choices = named ?? (type.includes("boolean") ? ["true", "false"] : []);
  if (choices.length > 0) {
    return html`<label>${name} <select name="${name}"><option></option>${choices.map(
      (value) => html`<option${value === preset && html` selected`}>${value}</option>`,
    )}</select></label>`;
  }
  const inputType = type === "number" || type === "integer" ? "number" : "text";
  return html`<label>${name} <input type="${inputType}" name="${name}" value="${String(preset ?? "")}" step="any"></label>`;
}
