import { hash } from "node:crypto";
import type { AppLoadContext, LoaderFunctionArgs, ServerBuild } from "@remix-run/node";
import { encode } from "turbo-stream";
import type { RootData } from "~/features/accounts/root-data";
import type { Viewer } from "~/features/accounts/viewer";
import { log } from "~/observability/log.server";
import { scriptText } from "~/shell/hydration/inline-scripts.server";
import { escapeHtml, pageTemplate, TextTemplate } from "./page-template.server";
import type { PageRoute } from "./route-table.server";
import {
  derivedValue,
  keyOfData,
  NotPlainData,
  namedValues,
  type PersonalValues,
  personalValues,
  replaceValues,
  type StandIn,
  twoStandIns,
} from "./stand-in-viewer.server";

/**
 * How long a template is kept, in milliseconds: it might depend on something that is not in its key, and one that somebody has
 * for themself alone holds what they have written.
 */
const TIME_TO_LIVE_MS = 60_000;

/** Maximum templates in memory, some 60 KB each; then the one used longest ago makes room. */
const MAX_TEMPLATES = 300;

/** How a loader ended: with a value, or with something thrown, such as a redirect. */
type Loaded = { value: unknown } | { thrown: unknown };

type Remix = (request: Request, context: AppLoadContext) => Promise<Response>;

/** A page that is filled in, with the headers of the one its template was made of, which all its pages share. */
export type FilledPage = { body: Buffer; headers: Pick<Headers, "get" | "has" | "entries"> };

/** The templates are null where two renders had more in common than markers, or less. */
type Made = { templates: { page: TextTemplate; data: TextTemplate } | null; headers: Headers };

export type ViewerPageStatistics = { filled: number; templates: number; refused: number };

/**
 * Answers with the pages of signed-in viewers without rendering each: what is the same for all viewers whose data are
 * the same but for their personal values is rendered once, for stand-ins, and filled in for each (`PageTemplate`).
 *
 * The loaders run for every request, so that its session is checked and its data are its own. What cannot be filled
 * in is left to Remix, which is given what the loaders have returned: they run once for every request.
 */
export class ViewerPages {
  readonly statistics: ViewerPageStatistics = { filled: 0, templates: 0, refused: 0 };
  readonly #routes: ServerBuild["routes"];
  readonly #loaded = new WeakMap<object, ReadonlyMap<string, Loaded>>();
  readonly #kept = new Map<string, Made>();
  readonly #making = new Map<string, Promise<Made>>();
  /** Keys that have been asked for once: a page that nobody asks for again is not worth a template. */
  readonly #seen = new Set<string>();
  #generation = 0;

  constructor(routes: ServerBuild["routes"]) {
    this.#routes = routes;
  }

  /** The routes with loaders that return what they have returned already for a request, if they have. */
  routes(): ServerBuild["routes"] {
    return Object.fromEntries(
      Object.entries(this.#routes).map(([id, route]) => {
        const load = route?.module.loader;
        if (!route || !load) return [id, route];
        const loader = (args: LoaderFunctionArgs) => {
          const loaded = this.#loaded.get(args.context)?.get(id);
          if (!loaded) return load(args);
          if ("thrown" in loaded) throw loaded.thrown;
          return loaded.value;
        };
        return [id, { ...route, module: { ...route.module, loader } }];
      }),
    );
  }

  /**
   * Runs the loaders of a page, and fills it in for its viewer. Null if it has to be rendered: then Remix does not
   * run them again for this context.
   */
  async answer(
    remix: Remix,
    request: Request,
    context: AppLoadContext,
    { ids, params, ownValues }: PageRoute,
  ): Promise<FilledPage | null> {
    const results = await Promise.all(
      ids.map(async (id): Promise<[string, Loaded]> => {
        try {
          const value = await this.#routes[id]?.module.loader?.({ request, params, context });
          return [id, { value }];
        } catch (thrown) {
          return [id, { thrown }];
        }
      }),
    );
    this.#loaded.set(context, new Map(results));
    const page = readResults(results);
    if (!page) return null;

    const url = request.url;
    let key: string;
    const own = page.data[ids.at(-1) ?? ""];
    const values = personalValues(page.viewer, ownValues?.(own));
    try {
      // neither an address nor JSON has line breaks, and the rest is the last
      const parts = [url, JSON.stringify(page.headers), keyOfData(page.data, values)];
      key = hash("sha256", parts.join("\n"), "base64");
    } catch (error) {
      if (error instanceof NotPlainData) return null;
      throw error;
    }
    const kept = await this.#keptOf(key, () => this.#make(remix, url, page, values));
    if (!kept?.templates) return null;
    const { page: template, data: dataTemplate } = kept.templates;
    const named = namedValues(values);
    const body = template.fill((name) => {
      if (name === "nonce") return context.nonce ?? "";
      if (name === "data") return dataTemplate.fill((each) => inData(named[each]));
      const text = named[name] ?? derivedValue(values, name);
      return text === undefined ? text : escapeHtml(text);
    });
    this.statistics.filled++;
    return { body, headers: kept.headers };
  }

  /** Drops every template, including those being made, because their content is out of date. */
  clear(): void {
    this.#generation++;
    this.#kept.clear();
    this.#making.clear();
    this.#seen.clear();
  }

  /** The templates of a key; null for one that is asked for the first time. */
  async #keptOf(key: string, make: () => Promise<Made>): Promise<Made | null> {
    const kept = this.#kept.get(key);
    if (kept) {
      // a map keeps the order of insertion: what was used last is last
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    if (!this.#seen.has(key)) {
      if (this.#seen.size >= MAX_TEMPLATES * 10) this.#seen.clear();
      this.#seen.add(key);
      return null;
    }
    let making = this.#making.get(key);
    if (!making) {
      const generation = this.#generation;
      making = make()
        .catch((error: unknown) => {
          log().error({ err: error }, "a page's template could not be made");
          return { templates: null, headers: new Headers() };
        })
        .then((made) => {
          this.statistics[made.templates ? "templates" : "refused"]++;
          if (generation === this.#generation) {
            this.#making.delete(key);
            this.#keep(key, made);
          }
          return made;
        });
      this.#making.set(key, making);
    }
    return making;
  }

  #keep(key: string, made: Made): void {
    this.#kept.set(key, made);
    setTimeout(() => {
      if (this.#kept.get(key) === made) this.#kept.delete(key);
    }, TIME_TO_LIVE_MS).unref();
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_TEMPLATES && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Renders a page and encodes its data for two stand-ins. */
  async #make(
    remix: Remix,
    url: string,
    { loaded, data }: ReadPage,
    values: PersonalValues,
  ): Promise<Made> {
    const [one, other] = twoStandIns(values);
    const first = await this.#render(remix, url, loaded, values, one);
    const second = await this.#render(remix, url, loaded, values, other);
    const headers = first?.headers ?? new Headers();
    if (!first || !second || first.headersText !== second.headersText) {
      return { templates: null, headers };
    }
    const page = pageTemplate(first, second);
    const dataTemplate = await this.#makeData(data, values, [one, other]);
    return { templates: page && dataTemplate && { page, data: dataTemplate }, headers };
  }

  /** Null unless it gives, with the values of the viewer it is made for, what they would get without it. */
  async #makeData(
    data: Record<string, unknown>,
    values: PersonalValues,
    standIns: [StandIn, StandIn],
  ): Promise<TextTemplate | null> {
    const [one, other] = await Promise.all(
      standIns.map(async ({ values: others }) => ({
        html: await encodeData(replaceValues(data, values, others)),
        markers: Object.fromEntries(
          Object.entries(namedValues(others)).map(([name, text]) => [name, inData(text) ?? ""]),
        ),
      })),
    );
    const template = one && other ? TextTemplate.common(one, other) : null;
    const own = await encodeData(data);
    const named = namedValues(values);
    return template?.fill((name) => inData(named[name])).toString() === own ? template : null;
  }

  async #render(
    remix: Remix,
    url: string,
    loaded: ReadPage["loaded"],
    values: PersonalValues,
    { values: others, pageData, markers }: StandIn,
  ) {
    const context: AppLoadContext = { nonce: markers.nonce, isDocument: true, pageData };
    const standIns = loaded.map(([id, value]): [string, Loaded] => {
      if (!isWithInit(value)) return [id, { value: replaceValues(value, values, others) }];
      return [id, { value: { ...value, data: replaceValues(value.data, values, others) } }];
    });
    this.#loaded.set(context, new Map(standIns));
    const page = await remix(new Request(url), context);
    const html = await page.text();
    const { headers } = page;
    if (page.status !== 200 || headers.has("Set-Cookie")) return null;
    return { html, markers, headers, headersText: JSON.stringify([...headers]) };
  }
}

type WithInit = { type: "DataWithResponseInit"; data: unknown; init: ResponseInit | null };

/** Whether a loader has returned its data with headers or a status (Remix's `data`). */
function isWithInit(value: unknown): value is WithInit {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "DataWithResponseInit"
  );
}

/** What the loaders of a page have returned, as a whole, and its parts. */
type ReadPage = {
  loaded: [string, unknown][];
  viewer: Viewer;
  data: Record<string, unknown>;
  headers: [string, [string, string][]][];
};

/**
 * A page that may be filled in: the loaders have all returned data, and the viewer is signed in, with nothing to be told
 * once, such as a toast, and no cookie to be set. Null for any other.
 */
function readResults(results: readonly [string, Loaded][]): ReadPage | null {
  const loaded: ReadPage["loaded"] = [];
  const data: ReadPage["data"] = {};
  const headers: ReadPage["headers"] = [];
  for (const [id, result] of results) {
    if ("thrown" in result || result.value instanceof Response) return null;
    const { value } = result;
    loaded.push([id, value]);
    if (!isWithInit(value)) {
      data[id] = value;
      continue;
    }
    const sent = new Headers(value.init?.headers);
    if ((value.init?.status ?? 200) !== 200 || sent.has("Set-Cookie")) return null;
    data[id] = value.data;
    headers.push([id, [...sent]]);
  }
  const root = data.root as RootData | undefined;
  if (!root?.viewer || root.toast || root.notice || root.form) return null;
  return { loaded, viewer: root.viewer, data, headers };
}

/** A page's data as Remix hands them to the browser, as a string in a script. */
async function encodeData(loaderData: unknown): Promise<string> {
  const reader = encode({ loaderData, actionData: null, errors: null }).getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return scriptText(Buffer.concat(chunks).toString("utf8"));
    chunks.push(value);
  }
}

/** A text as it stands in a page's data: within a JSON string, within a script's. */
function inData(text: string | undefined): string | undefined {
  return text === undefined ? text : scriptText(JSON.stringify(text).slice(1, -1)).slice(1, -1);
}
