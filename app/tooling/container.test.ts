import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const read = (file: string) => readFileSync(resolve(import.meta.dirname, "../..", file), "utf8");

describe("the container", () => {
  it("is built on images pinned by digest", () => {
    const stages = [...read("Dockerfile").matchAll(/^FROM (?<image>\S+)(?: AS (?<name>\S+))?$/gm)];
    const names = stages.map(({ groups }) => groups?.name);
    const bases = stages
      .map(({ groups }) => groups?.image)
      .filter((image) => !names.includes(image));
    expect(bases.length).toBeGreaterThan(0);
    for (const base of bases) expect(base).toMatch(/^node:24-\w+-slim@sha256:[0-9a-f]{64}$/);
  });

  it("has the Node version of .nvmrc, which the workflow tests", () => {
    const major = read(".nvmrc").trim();
    expect(/^FROM node:(\d+)-/m.exec(read("Dockerfile"))?.[1]).toBe(major);
    const tested = /^ +node: \[(.*)\]$/m.exec(read(".github/workflows/test.yml"))?.[1]?.split(", ");
    expect(tested).toContain(major);
    expect(tested?.[0]).toBe(/\d+/.exec(JSON.parse(read("package.json")).engines.node)?.[0]);
  });

  it("runs in compose from the locally built image, behind Caddy's own", () => {
    const images = [...read("compose.yaml").matchAll(/^\s*image: (\S+)$/gm)].map(
      ([, name]) => name,
    );
    expect(images).toEqual(["caddy:2", "golden-path"]);
  });

  describe("in the workflows", () => {
    const image = parse(read(".github/workflows/image.yml"));
    const test = parse(read(".github/workflows/test.yml"));

    it("is published as a release only once all tests have passed", () => {
      expect(Object.keys(test.on)).toContain("workflow_call");
      expect(image.jobs.test).toEqual({
        if: "startsWith(github.ref, 'refs/tags/')",
        uses: "./.github/workflows/test.yml",
      });
      const { needs, if: condition } = image.jobs.publish;
      expect(needs).toEqual(["build", "test"]);
      expect(condition).toContain("needs.build.result == 'success'");
      expect(condition).toContain(
        "(needs.test.result == 'success' || !startsWith(github.ref, 'refs/tags/'))",
      );
    });

    it("does not wait for itself, which a called workflow of the same group would make it do", () => {
      // when it is called, its name is the caller's
      const group = (workflow: typeof image) =>
        workflow.concurrency.group
          .replace(/\$\{\{ github\.workflow \}\}/, image.name)
          .split("$")[0];
      expect(group(image)).not.toBe(group(test));
      expect(image.concurrency.group).not.toContain("github.workflow");
    });

    it("is scanned every week as it is published, and not built again of the same base", () => {
      expect(image.on.schedule).toHaveLength(1);
      expect(image.jobs.build.if).toBe("github.event_name != 'schedule'");
      const { if: condition, steps } = image.jobs.scan;
      expect(condition).toBe("github.event_name == 'schedule'");
      const scan = steps.at(-1);
      expect(scan.uses).toMatch(/^aquasecurity\/trivy-action@/);
      expect(scan.with["image-ref"]).toMatch(/IMAGE \}\}:latest$/);
      expect(scan.with["exit-code"]).toBe("1");
    });
  });
});
