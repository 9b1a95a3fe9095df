import { describe, expect, it } from "vitest";
import { CircuitBreaker } from "./circuit-breaker";

describe("the circuit breaker", () => {
  it("lets mail through while the server works", () => {
    const circuit = new CircuitBreaker();
    expect(circuit.record("works", 0)).toBeNull();
    expect(circuit.allowed(5, 0)).toBe(5);
    expect(circuit.waitMs(0)).toBe(0);
  });

  it("opens at once when the server is unavailable, and lets one mail probe it after a second", () => {
    const circuit = new CircuitBreaker();
    expect(circuit.record("unavailable", 0)).toBe("opened");
    expect(circuit.isOpen).toBe(true);
    expect(circuit.allowed(5, 999)).toBe(0);
    expect(circuit.waitMs(400)).toBe(600);
    expect(circuit.allowed(5, 1_000)).toBe(1);
    expect(circuit.waitMs(1_000)).toBe(0);
  });

  it("doubles the wait with each failed probe, up to a minute", () => {
    const circuit = new CircuitBreaker();
    let now = 0;
    const waits = Array.from({ length: 9 }, () => {
      circuit.record("unavailable", now);
      const wait = circuit.waitMs(now);
      now += wait;
      return wait / 1_000;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("counts simultaneous failures as one", () => {
    const circuit = new CircuitBreaker();
    for (let attempt = 0; attempt < 5; attempt++) circuit.record("unavailable", 10);
    expect(circuit.waitMs(10)).toBe(1_000);
  });

  it.each(["works", "busy", "blocks"] as const)(
    "closes when a probe shows that the server %s",
    (verdict) => {
      const circuit = new CircuitBreaker();
      circuit.record("unavailable", 0);
      expect(circuit.record(verdict, 1_000)).toBe("closed");
      expect(circuit.allowed(5, 1_000)).toBe(5);
      expect(circuit.record("unavailable", 2_000)).toBe("opened");
      expect(circuit.waitMs(2_000)).toBe(1_000);
    },
  );

  it("opens after three dropped connections in a row, but not after fewer", () => {
    const circuit = new CircuitBreaker();
    expect(circuit.record("drops", 0)).toBeNull();
    expect(circuit.record("drops", 0)).toBeNull();
    expect(circuit.record("works", 0)).toBeNull();
    expect(circuit.record("drops", 0)).toBeNull();
    expect(circuit.record("drops", 0)).toBeNull();
    expect(circuit.isOpen).toBe(false);
    expect(circuit.record("drops", 0)).toBe("opened");
  });

  it("counts a dropped probe as a failure", () => {
    const circuit = new CircuitBreaker();
    circuit.record("unavailable", 0);
    expect(circuit.record("drops", 1_000)).toBeNull();
    expect(circuit.waitMs(1_000)).toBe(2_000);
  });
});
