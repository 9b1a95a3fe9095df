import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { HtmlValidate, type Plugin, Rule, StaticConfigLoader } from "html-validate";

/** Checks whole documents, by name; returns one line per fault, with the names of the documents that have it. */
export type HtmlChecker = {
  title: string;
  check(documents: ReadonlyMap<string, string>): Promise<string[]>;
};

/** The oldest Java that vnu.jar runs on. */
const OLDEST_JAVA = 11;

/** Whether this machine has a Java that runs the Nu HTML checker. */
export function hasJava(): boolean {
  const { status, stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  const major = /version "(?:1\.)?(\d+)/.exec(stderr ?? "")?.[1];
  return status === 0 && Number(major) >= OLDEST_JAVA;
}

type NuMessage = { type: string; subType?: string; message: string; extract?: string; url: string };

/** The W3C's Nu HTML checker: errors and warnings. A single Java process checks all documents. */
export const nuChecker: HtmlChecker = {
  title: "the Nu HTML checker",
  async check(documents) {
    const folder = mkdtempSync(join(tmpdir(), "golden-path-markup-"));
    try {
      const names = new Map<string, string>();
      for (const [name, html] of documents) {
        const file = join(folder, `${names.size}.html`);
        writeFileSync(file, html);
        names.set(pathToFileURL(file).href.replace("file:///", "file:/"), name);
      }
      // only the path: the package's own export would download a Java if there is none
      const jar = createRequire(import.meta.url).resolve("vnu-jar/build/dist/vnu.jar");
      const { stdout } = await promisify(execFile)(
        "java",
        // the process ends before the second compiler would pay off
        [
          "-XX:TieredStopAtLevel=1",
          "-Xss2m",
          "-jar",
          jar,
          "--format",
          "json",
          "--stdout",
          "--exit-zero-always",
          folder,
        ],
        { maxBuffer: 256 * 1024 * 1024 },
      );
      const { messages } = JSON.parse(stdout) as { messages: NuMessage[] };
      return byFault(
        messages
          // informational messages are only about the slash with which React closes void elements
          .filter(({ type, subType }) => type !== "info" || subType === "warning")
          .map(({ url, message, extract }) => ({
            fault: `${message} ${extract ?? ""}`,
            document: names.get(url) ?? url,
          })),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** html-validate has no rule against content outside the html element. */
class NothingOutsideHtml extends Rule {
  override setup(): void {
    this.on("dom:ready", ({ document }) => {
      for (const element of document.root.childElements) {
        if (element.nodeName === "html") continue;
        this.report(element, `<${element.nodeName}> is outside the html element`);
      }
    });
  }
}

const plugin: Plugin = {
  name: "golden-path",
  rules: { "nothing-outside-html": NothingOutsideHtml },
};

/** html-validate with the rules of the HTML standard, for machines without Java. */
export const htmlValidate: HtmlChecker = {
  title: "html-validate",
  async check(documents) {
    const validator = new HtmlValidate(
      new StaticConfigLoader({
        extends: ["html-validate:standard"],
        plugins: [plugin],
        elements: ["html5"],
        rules: { "nothing-outside-html": "error" },
      }),
    );
    const faults: { fault: string; document: string }[] = [];
    for (const [document, html] of documents) {
      const { results } = await validator.validateString(html, `${document}.html`);
      for (const { ruleId, message, selector } of results.flatMap(({ messages }) => messages)) {
        faults.push({ fault: `${ruleId}: ${message} (${selector})`, document });
      }
      for (const id of idsUsedTwice(html)) faults.push({ fault: `the id ${id} twice`, document });
    }
    return byFault(faults);
  },
};

/** html-validate does not check inside SVGs, whose ids count for the document too. */
function idsUsedTwice(html: string): Set<string> {
  const elements = html.replaceAll(/(<script\b[^>]*>)[\s\S]*?<\/script>/g, "$1");
  const ids = [...elements.matchAll(/<[^>]*\sid="([^"]+)"/g)].map(([, id = ""]) => id);
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
}

function byFault(faults: { fault: string; document: string }[]): string[] {
  const documents = new Map<string, Set<string>>();
  for (const { fault, document } of faults) {
    documents.set(fault, (documents.get(fault) ?? new Set()).add(document));
  }
  return [...documents].map(([fault, names]) => `${fault} — ${[...names].join(", ")}`);
}
