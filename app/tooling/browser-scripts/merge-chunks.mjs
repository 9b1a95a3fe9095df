import { join, relative } from "node:path";
import { rollup } from "rollup";
import { minify } from "terser";
import { groupChunks } from "./group-chunks.mjs";

/**
 * @typedef {import("esbuild").Metafile} Metafile
 * @typedef {Metafile["outputs"][string]} Output
 * @typedef {{ path: string, contents: Uint8Array }} File
 * @typedef {{ metafile: Metafile, outputFiles: File[] }} Build
 */

/** The files of esbuild that Remix starts with on every page. */
const ENTRY = "entry.client";
const ROOT = "root";

/**
 * Makes few files of the many that esbuild writes: two for all pages, one of the packages and one of the site's own;
 * one for each page; and some that several pages share. They are minified, and named after their contents.
 *
 * @param {Build} build of esbuild, with splitting and not minified
 * @param {{ root: string, folder: string, url: string }} options the project's folder; the files' folder; its URL,
 *   which ends with a slash
 * @returns {Promise<Build>} with the scripts replaced. An output's `imports` are all that it imports, directly or not:
 *   esbuild states them so, and Remix makes the list of preloads of them.
 */
export async function mergeChunks({ metafile, outputFiles }, { root, folder, url }) {
  const prefix = `${slashed(relative(root, folder))}/`;
  const scripts = readScripts(metafile, prefix);
  const sources = new Map(
    outputFiles.map(({ path, contents }) => [slashed(relative(folder, path)), contents]),
  );
  const files = chooseFiles(scripts);
  const bundle = await rollup({
    input: Object.fromEntries(
      [...scripts].filter(([, { entryPoint }]) => entryPoint).map(([id]) => [withoutHash(id), id]),
    ),
    // the root's file may export what other files need beside what Remix does
    preserveEntrySignatures: "allow-extension",
    plugins: [
      {
        name: "output-of-esbuild",
        resolveId: (id) => (id.startsWith(url) ? id.slice(url.length) : id),
        load: (id) => withPureRequires(Buffer.from(sources.get(id) ?? missing(id)).toString()),
        renderChunk: async (code) => ({ code: await minified(code), map: null }),
      },
    ],
    onLog: (_level, { code, message }) => {
      // all of some routes is for the server
      if (code !== "EMPTY_BUNDLE") throw new Error(message);
    },
  });
  const { output } = await bundle.generate({
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "_shared/[name]-[hash].js",
    hashCharacters: "base36",
    // Remix names routes with brackets
    sanitizeFileName: false,
    hoistTransitiveImports: false,
    manualChunks: (id) => files.get(id),
  });
  await bundle.close();

  const chunks = new Map(
    output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, one]] : [])),
  );
  return {
    metafile: {
      ...metafile,
      outputs: {
        ...Object.fromEntries(
          Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".js")),
        ),
        ...Object.fromEntries(
          [...chunks].map(([name, chunk]) => [
            prefix + name,
            describe(chunk, chunks, scripts, prefix),
          ]),
        ),
      },
    },
    outputFiles: [
      ...outputFiles.filter(({ path }) => !path.endsWith(".js")),
      ...[...chunks].map(([name, { code }]) => ({
        path: join(folder, name),
        contents: Buffer.from(code),
      })),
    ],
  };
}

/**
 * Which file each shared chunk of esbuild's becomes part of; what only one page needs stays with that page.
 *
 * @param {ReadonlyMap<string, Output>} scripts
 * @returns {Map<string, string>} the file's name by the chunk's
 */
function chooseFiles(scripts) {
  const starts = [...scripts].filter(([, { entryPoint }]) => entryPoint).map(([id]) => id);
  const entry = starts.find((id) => withoutHash(id) === ENTRY) ?? missing(ENTRY);
  const root = starts.find((id) => withoutHash(id) === ROOT) ?? missing(ROOT);
  const everywhere = new Set([...withImports(entry, scripts), ...withImports(root, scripts)]);
  everywhere.delete(entry);

  // routes without a page are never loaded by a browser (trim-manifest.mjs)
  const loaded = starts.filter(
    (id) => !everywhere.has(id) && id !== entry && isLoaded(id, scripts),
  );
  /** @type {Map<string, Set<string>>} */
  const users = new Map();
  for (const start of loaded) {
    for (const id of withImports(start, scripts)) {
      if (everywhere.has(id) || id === start || isEmpty(id, scripts)) continue;
      users.set(id, (users.get(id) ?? new Set()).add(start));
    }
  }
  const shared = [...users].flatMap(([id, starts]) =>
    starts.size > 1 ? [{ id, bytes: scripts.get(id)?.bytes ?? 0, starts }] : [],
  );
  const site = [...everywhere].filter((id) => !isOfPackages(id, scripts));
  const bytes = site.reduce((sum, id) => sum + (scripts.get(id)?.bytes ?? 0), 0);
  const [joined = [], ...groups] = groupChunks(shared, {
    id: root,
    bytes,
    starts: new Set(loaded),
  });

  /** @type {Map<string, string>} */
  const files = new Map();
  for (const id of everywhere) files.set(id, isOfPackages(id, scripts) ? "packages" : ROOT);
  for (const id of joined) files.set(id, ROOT);
  for (const group of groups) for (const id of group) files.set(id, nameOf(group, scripts));
  return files;
}

/**
 * Whether a browser ever asks for it: a page's module, or one that is imported later.
 *
 * @param {string} id
 * @param {ReadonlyMap<string, Output>} scripts
 */
function isLoaded(id, scripts) {
  const { entryPoint = "", exports = [] } = scripts.get(id) ?? {};
  return !entryPoint.startsWith("browser-route-module:") || exports.includes("default");
}

/**
 * @param {string} id
 * @param {ReadonlyMap<string, Output>} scripts
 */
function isOfPackages(id, scripts) {
  const inputs = Object.entries(scripts.get(id)?.inputs ?? {});
  return inputs.every(
    ([path, { bytesInOutput }]) => bytesInOutput === 0 || path.includes("node_modules/"),
  );
}

/**
 * Whether it holds nothing but what Remix puts in place of server modules.
 *
 * @param {string} id
 * @param {ReadonlyMap<string, Output>} scripts
 */
function isEmpty(id, scripts) {
  const inputs = Object.keys(scripts.get(id)?.inputs ?? {});
  return inputs.every((path) => path.startsWith("empty-module:"));
}

/**
 * A name for people who read the list of requests: of the largest module in it.
 *
 * @param {readonly string[]} ids
 * @param {ReadonlyMap<string, Output>} scripts
 */
function nameOf(ids, scripts) {
  const inputs = ids.flatMap((id) => Object.entries(scripts.get(id)?.inputs ?? {}));
  inputs.sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
  const [largest = "shared"] = inputs[0] ?? [];
  return /([^/]+?)(\/dist\/.*|\.\w+)?$/.exec(largest)?.[1] ?? "shared";
}

/**
 * @param {import("rollup").OutputChunk} chunk
 * @param {ReadonlyMap<string, import("rollup").OutputChunk>} chunks
 * @param {ReadonlyMap<string, Output>} scripts
 * @param {string} prefix
 * @returns {Output}
 */
function describe(chunk, chunks, scripts, prefix) {
  /** @type {Set<string>} */
  const imported = new Set();
  const add = (/** @type {string} */ name) => {
    if (imported.has(name)) return;
    imported.add(name);
    for (const next of chunks.get(name)?.imports ?? []) add(next);
  };
  for (const name of chunk.imports) add(name);
  imported.delete(chunk.fileName);
  const original = chunk.facadeModuleId ? scripts.get(chunk.facadeModuleId) : undefined;
  return {
    bytes: Buffer.byteLength(chunk.code),
    inputs: Object.assign({}, ...chunk.moduleIds.map((id) => scripts.get(id)?.inputs)),
    exports: chunk.exports,
    ...(original?.entryPoint && { entryPoint: original.entryPoint }),
    imports: [
      ...[...imported].map((name) => ({
        path: prefix + name,
        kind: /** @type {const} */ ("import-statement"),
      })),
      ...chunk.dynamicImports.map((name) => ({
        path: prefix + name,
        kind: /** @type {const} */ ("dynamic-import"),
      })),
    ],
  };
}

/**
 * The scripts among esbuild's files, by their names in the folder.
 *
 * @param {Metafile} metafile
 * @param {string} prefix of the folder
 * @returns {Map<string, Output>} with imports by those names too
 */
function readScripts({ outputs }, prefix) {
  const scripts = Object.entries(outputs).filter(([path]) => path.endsWith(".js"));
  return new Map(
    scripts.map(([path, output]) => [
      path.slice(prefix.length),
      {
        ...output,
        imports: output.imports.map((one) => ({ ...one, path: one.path.slice(prefix.length) })),
      },
    ]),
  );
}

/**
 * @param {string} start
 * @param {ReadonlyMap<string, Output>} scripts
 */
function withImports(start, scripts) {
  const found = new Set([start]);
  for (const id of found) {
    for (const { path, kind } of scripts.get(id)?.imports ?? []) {
      if (kind === "import-statement") found.add(path);
    }
  }
  return found;
}

/**
 * Lets rollup drop what is imported of a module in CommonJS, and then the module, where nothing uses it: so is what
 * remains in a page of its imports from server modules.
 *
 * @param {string} code
 */
function withPureRequires(code) {
  return code.replaceAll(
    /= __toESM\((require_\w+)\(\)/g,
    "= /* @__PURE__ */ __toESM(/* @__PURE__ */ $1()",
  );
}

/** @param {string} code */
async function minified(code) {
  const result = await minify(code, {
    module: true,
    ecma: 2020,
    format: { comments: false },
  });
  return result.code ?? missing("terser's output");
}

/** @param {string} id as esbuild names it, without its hash */
function withoutHash(id) {
  return id.replace(/-[A-Z0-9]{8}\.js$/, "");
}

/** @param {string} path */
function slashed(path) {
  return path.replaceAll("\\", "/");
}

/**
 * @param {string} what
 * @returns {never}
 */
function missing(what) {
  throw new Error(`The browser's scripts have no ${what}.`);
}
