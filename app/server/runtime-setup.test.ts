import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/** Lets a program collect garbage and ask V8 about its objects. */
const ASK_V8 = ["--allow-natives-syntax", "--expose-gc"];

/** Prints whether an object of process.nextTick still has the hidden class of before garbage was collected. */
const COLLECT_GARBAGE = `
  import { executionAsyncResource } from "node:async_hooks";
  import { keptTicks } from "#runtime-setup";
  const tick = () => new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())));
  await tick();
  for (let collection = 0; collection < 8; collection++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  console.log(keptTicks.length === 1 && %HaveSameMap(keptTicks[0], await tick()));
`;

/** Prints whether responses, requests and sockets are no dictionaries, where garbage is collected after each request. */
const ANSWER_RARELY = `
  import { createServer, get } from "node:http";
  const all = { response: true, request: true, socket: true };
  const server = createServer((request, response) => {
    all.response &&= %HasFastProperties(response);
    all.request &&= %HasFastProperties(request);
    all.socket &&= %HasFastProperties(request.socket);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  for (let visit = 0; visit < 20; visit++) {
    await new Promise((resolve) => {
      get({ port: server.address().port, agent: false }, (message) => message.resume().on("close", resolve));
    });
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  server.close();
  console.log(JSON.stringify(all));
`;

/** Makes so many objects that live for a while that V8 would make the next ones among the old. */
const FILL_WINDOW = `
  const window = [];
  const make = (number) => ({ number, twice: [number, number] });
  for (let number = 0; number < 600_000; number++) window[number % 200_000] = make(number);
`;

describe("the runtime's setup", () => {
  it("keeps the hidden class of what process.nextTick queues", () => {
    expect(run(COLLECT_GARBAGE, ASK_V8)).toBe("true\n");
  });

  it("leaves responses room for their properties, however rarely there is one", () => {
    expect(JSON.parse(run(ANSWER_RARELY, ASK_V8))).toMatchObject({ response: false });
    expect(JSON.parse(run(`import "#runtime-setup"; ${ANSWER_RARELY}`, ASK_V8))).toEqual({
      response: true,
      request: true,
      socket: true,
    });
  });

  it("makes all objects among the young, whatever has lived long before", () => {
    const flags = ["--trace-pretenuring-statistics", "--max-semi-space-size=1"];

    expect(run(FILL_WINDOW, flags)).toContain("=> tenure");
    expect(run(`import "#runtime-setup"; ${FILL_WINDOW}`, flags)).not.toContain("tenure");
  });
});

const run = (program: string, flags: string[]) =>
  execFileSync(process.execPath, [...flags, "--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
