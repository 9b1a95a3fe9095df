import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";

export const ROOT = resolve(import.meta.dirname, "../..");

/** An import of one of our files by another, both relative to the project. */
export type Import = { from: string; to: string; typeOnly: boolean };

/** All our code under `folders`: TypeScript and modules of plain JavaScript, relative to the project. */
export function sourceFiles(folders: string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !/\.d\.ts$/.test(file))
    .sort();
}

/**
 * Every import of one of our files by another, as TypeScript parses and resolves it: `import`, `export from`
 * and `import()` with a literal. Throws if the imported file does not exist.
 */
export function importsOf(from: string): Import[] {
  const text = readFileSync(resolve(ROOT, from), "utf8");
  const source = ts.createSourceFile(from, text, ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const add = (specifier: ts.Expression | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const to = ownFile(from, specifier.text);
    if (to) found.push({ from, to, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.isTypeOnly) return true;
  const { name, namedBindings } = importClause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every((one) => one.isTypeOnly);
}

const { config } = ts.readConfigFile(resolve(ROOT, "tsconfig.json"), (file) =>
  readFileSync(file, "utf8"),
);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);

function ownFile(from: string, specifier: string): string | null {
  const isCode = /^(\.|~)/.test(specifier) && !/\.(css|woff2|svg|jpg|png|json|js)$/.test(specifier);
  if (!isCode) return null;
  const { resolvedModule } = ts.resolveModuleName(specifier, resolve(ROOT, from), options, ts.sys);
  if (!resolvedModule) throw new Error(`${from} imports ${specifier}, which does not exist`);
  return relative(ROOT, resolvedModule.resolvedFileName);
}

/** Import cycles: each list holds files that import one another. */
export function circlesAmong(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) ?? 0);
    path.push(file);
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (path.includes(to)) {
        lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(to) ?? 0));
      }
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = path.splice(path.indexOf(file));
    if (group.length > 1) circles.push(group);
  };
  for (const file of next.keys()) if (!order.has(file)) visit(file);
  return circles;
}
