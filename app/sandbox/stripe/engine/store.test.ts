import { expect, test } from "vitest";
import { emptyState } from "./state";
import { formatState, parseState } from "./store";

test("a state survives its file, in order", () => {
  const state = emptyState();
  state.clockOffset = 86_400;
  state.authentications.set("cs_2", { card: "4242424242424242", email: null });
  state.authentications.set("cs_1", { card: "4000000000000002", email: "a@example.com" });
  const read = parseState(formatState(state));
  expect(read).toEqual(state);
  expect([...(read?.authentications.keys() ?? [])]).toEqual(["cs_2", "cs_1"]);
});

test("a part that an older file does not have begins empty", () => {
  const older = JSON.parse(formatState(emptyState())) as { state: Record<string, unknown> };
  delete older.state.disputes;
  delete older.state.webhookPolicy;
  expect(parseState(JSON.stringify(older))).toEqual(emptyState());
});

test.each(["", "{", "[]", "null", '{"format":2,"state":{}}', '{"format":1,"state":{"events":7}}'])(
  "a file with %j is no state",
  (text) => {
    expect(parseState(text)).toBeNull();
  },
);
