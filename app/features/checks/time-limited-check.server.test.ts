import { describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { timeLimited } from "./local-readings.server";

describe("a check with a time limit", () => {
  it("times out, and starts no other check until it has ended", async () => {
    setEnvironment({ LOG_LEVEL: "silent" });
    const bounded = timeLimited("BACKUP_DIR", 10);
    let end = (_: string[]) => {};
    const hanging = new Promise<string[]>((resolve) => {
      end = resolve;
    });
    let looks = 0;
    const look = (result: Promise<string[]>) =>
      bounded(() => {
        looks += 1;
        return result;
      });
    expect(await look(hanging)).toEqual([]);
    expect(await look(Promise.resolve(["seen"]))).toEqual([]);
    expect(looks).toBe(1);
    end(["late"]);
    await hanging;
    expect(await look(Promise.resolve(["seen"]))).toEqual(["seen"]);
    setEnvironment({});
  });
});
