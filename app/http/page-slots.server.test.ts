import { describe, expect, it } from "vitest";
import { QueueFull } from "./fair-queue.server";
import { PageSlots } from "./page-slots.server";

const NETWORK = { narrow: "192.0.2.1", wide: "192.0.2.0/24" };
const CONCURRENT_PAGES = 32;
const PAGES_WAITING = 400;

function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { until, letGo };
}

describe("page slots", () => {
  it("are limited in number, and further pages wait", async () => {
    const slots = new PageSlots();
    const { until, letGo } = held();
    let making = 0;
    const make = async () => {
      making++;
      await until;
    };
    const pages = Array.from({ length: CONCURRENT_PAGES + PAGES_WAITING }, () =>
      slots.run(NETWORK, make),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(making).toBe(CONCURRENT_PAGES);
    await expect(slots.run(NETWORK, make)).rejects.toThrow(QueueFull);
    letGo();
    await Promise.all(pages);
    expect(making).toBe(CONCURRENT_PAGES + PAGES_WAITING);
  });

  it("are free for others while a page waits for an external service", async () => {
    const slots = new PageSlots();
    const outside = held();
    const waiting = Array.from({ length: 3 * CONCURRENT_PAGES }, () =>
      slots.run(NETWORK, (give) => give(() => outside.until)),
    );
    expect(await slots.run(NETWORK, async () => "made")).toBe("made");
    outside.letGo();
    await Promise.all(waiting);
  });

  it("are reacquired before a page continues, even after two concurrent waits", async () => {
    const slots = new PageSlots();
    const outside = held();
    let making = 0;
    let most = 0;
    const pages = Array.from({ length: 3 * CONCURRENT_PAGES }, () =>
      slots.run(NETWORK, async (give) => {
        await Promise.all([give(() => outside.until), give(async () => {})]);
        making++;
        most = Math.max(most, making);
        await new Promise((resolve) => setTimeout(resolve, 5));
        making--;
      }),
    );
    outside.letGo();
    await Promise.all(pages);
    expect(most).toBe(CONCURRENT_PAGES);
  });

  it("are released by pages that fail at any point", async () => {
    const slots = new PageSlots();
    const fail = () => Promise.reject(new Error("away"));
    const late = held();
    for (let i = 0; i < 2 * CONCURRENT_PAGES; i++) {
      await expect(slots.run(NETWORK, fail)).rejects.toThrow("away");
      await expect(slots.run(NETWORK, (give) => give(fail))).rejects.toThrow("away");
      // a page that does not await its own external call
      await slots.run(NETWORK, async (give) => void give(() => late.until));
    }
    late.letGo();
    await late.until;
    expect(await slots.run(NETWORK, async () => "made")).toBe("made");
  });

  it("are shared fairly: a flood that fills them all yields to another network", async () => {
    const slots = new PageSlots();
    const { until, letGo } = held();
    const flood = Array.from({ length: CONCURRENT_PAGES + PAGES_WAITING }, () =>
      slots.run(NETWORK, () => until).catch((error: unknown) => error),
    );
    const other = { narrow: "198.51.100.1", wide: "198.51.100.0/24" };
    const page = slots.run(other, async () => "made");
    letGo();
    expect(await page).toBe("made");
    const rejected = (await Promise.all(flood)).filter((end) => end instanceof QueueFull);
    expect(rejected).toHaveLength(1);
  });
});
