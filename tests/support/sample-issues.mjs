import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { childEnvironment } from "./child-environment.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** An issue with every element. */
export const FULL_ISSUE = `---
subject: "The first mile is the longest"
slug: the-first-mile
preview: A practice for the morning on which you would rather not begin.
---

Dear walker,

there is a gate at the end of my street, and on most mornings it is the hardest part of the walk. Not the hill
behind it, *the gate*. This month's practice is about **gates**.

## Before you begin

1. Put your shoes where you will stumble over them.
2. Decide the night before which way you turn.
   - Left is the river.
   - Right is the hill.
3. Tell nobody. It is only a walk.

![A golden line winding over dark hills toward a rising sun](path.png "At dawn")

> You do not have to see the whole path, only the next lantern.
>
> From chapter 3

### What readers wrote

| Who walked | Since | How it began |
| :--------- | ----: | :----------- |
| Ines, who used to drive to the bakery | 14 days | With a broken car, and a very long Sunday that had nothing else in it |
| Jonas | 3 days | With your letter |

| Week | Walks | Miles |
| ---- | :---: | ----: |
| 1    |   2   |   3.5 |
| 2    |   5   |  12.0 |

The walk is at https://maps.goldenpath.example/walks/from-the-gate-at-the-end-of-my-street-to-the-bench-on-the-hill?by=lantern
for those who like maps.

The notebook page says \`begin_before_you_are_ready\`, and in full:

\`\`\`
gate -> street -> river -> averyveryverylongwordthatnobodywouldeverwriteinaletterbutwhichstillhastofit
\`\`\`

---

Read more in [the members' area](/premium), or write back: <maren@goldenpath.example>. ~~Tomorrow~~ Today.

Yours, Maren
`;

const PREMIUM_ISSUE = `---
subject: "A longer letter, for members: what the hill taught me about finishing things, and why I still do not"
slug: the-long-hill
preview: Guided notes for the second half of chapter 7.
premium: true
---

Dear member,

halfway up the hill there is a bench. I have never sat on it.

<!-- more -->

This is the rest of the letter, which only members read.
`;

/**
 * Publishes an issue for everybody, `/newsletter/the-first-mile`, and one for members,
 * `/newsletter/the-long-hill`, with the built program's command, as the author would.
 *
 * @param {{ origin: string, dataDir: string, databaseUrl?: string }} site a running program
 */
export async function publishSampleIssues({ origin, dataDir, databaseUrl }) {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-issue-"));
  copyFileSync(join(root, "public/share.png"), join(folder, "path.png"));
  try {
    for (const text of [FULL_ISSUE, PREMIUM_ISSUE]) {
      const file = join(folder, "issue.md");
      writeFileSync(file, text);
      await run(
        process.execPath,
        [join(root, "build/index.js"), "newsletter", "send", file, "--yes"],
        {
          cwd: root,
          env: childEnvironment({
            DATA_DIR: dataDir,
            PUBLIC_URL: origin,
            ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
          }),
        },
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
