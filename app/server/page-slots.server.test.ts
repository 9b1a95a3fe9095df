import { describe, expect, it } from "vitest";
import { PageSlots, whileOutside } from "./page-slots.server";

const PAGES_AT_ONCE = 32;
const PAGES_WAITING = 400;

function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { until, letGo };
}

describe("page slots", () => {
  it("are so many, and more pages wait", async () => {
    const slots = new PageSlots();
    const { until, letGo } = held();
    let making = 0;
    const make = async () => {
      making++;
      await until;
    };
    const pages = Array.from({ length: PAGES_AT_ONCE + PAGES_WAITING }, () => slots.run(make));
    await new Promise((resolve) => setImmediate(resolve));
    expect(making).toBe(PAGES_AT_ONCE);
    expect(slots.isFull).toBe(true);
    letGo();
    await Promise.all(pages);
    expect(making).toBe(PAGES_AT_ONCE + PAGES_WAITING);
    expect(slots.isFull).toBe(false);
  });

  it("are free for others while a page waits for somebody outside", async () => {
    const slots = new PageSlots();
    const outside = held();
    const waiting = Array.from({ length: 3 * PAGES_AT_ONCE }, () =>
      slots.run((give) => give(() => outside.until)),
    );
    expect(await slots.run(async () => "made")).toBe("made");
    outside.letGo();
    await Promise.all(waiting);
  });

  it("are taken again before a page goes on, also by pages with two waits at a time", async () => {
    const slots = new PageSlots();
    const outside = held();
    let making = 0;
    let most = 0;
    const pages = Array.from({ length: 3 * PAGES_AT_ONCE }, () =>
      slots.run(async (give) => {
        await Promise.all([give(() => outside.until), give(async () => {})]);
        making++;
        most = Math.max(most, making);
        await new Promise((resolve) => setTimeout(resolve, 5));
        making--;
      }),
    );
    outside.letGo();
    await Promise.all(pages);
    expect(most).toBe(PAGES_AT_ONCE);
  });

  it("are given back by pages that fail, wherever they are", async () => {
    const slots = new PageSlots();
    const fail = () => Promise.reject(new Error("away"));
    const late = held();
    for (let i = 0; i < 2 * PAGES_AT_ONCE; i++) {
      await expect(slots.run(fail)).rejects.toThrow("away");
      await expect(slots.run((give) => give(fail))).rejects.toThrow("away");
      // a page that does not wait for its own wait
      await slots.run(async (give) => void give(() => late.until));
    }
    late.letGo();
    await late.until;
    expect(await slots.run(async () => "made")).toBe("made");
  });

  it("are not needed: without them the work just runs", async () => {
    expect(await whileOutside({}, async () => "done")).toBe("done");
  });
});
