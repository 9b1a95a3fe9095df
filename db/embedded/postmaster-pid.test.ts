import { describe, expect, it } from "vitest";
import { parseServerStatus } from "./postmaster-pid";

const lines = [
  "4711",
  "/data/postgres",
  "1795262525",
  "25290",
  "",
  "127.0.0.1",
  "  21 4",
  "ready   ",
];

describe("a server's pid file", () => {
  it("has the folder of the server's socket", () => {
    const text = [...lines.slice(0, 3), "5432", "/data/post gres", "", "  21 4", "ready   ", ""];
    expect(parseServerStatus(text.join("\n")).address).toEqual({
      host: "/data/post gres",
      port: 5432,
    });
  });

  it("shows when the server is starting or stopping", () => {
    const at = (phase: string) => parseServerStatus([...lines.slice(0, 7), phase].join("\n")).phase;
    expect(at("starting")).toBe("starting");
    expect(at("stopping")).toBe("stopping");
  });

  it("can be parsed while it is being written", () => {
    expect(parseServerStatus(lines.slice(0, 3).join("\n"))).toEqual({
      pid: 4711,
      address: null,
      phase: "starting",
    });
    expect(parseServerStatus("")).toEqual({ pid: 0, address: null, phase: "starting" });
  });
});
