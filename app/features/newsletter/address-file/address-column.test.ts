import { describe, expect, it } from "vitest";
import { findAddressColumn } from "./read-address-file.server";

const isAddress = (cell: string) => /^\S+@\S+$/.test(cell);
const find = (...row: string[]) => findAddressColumn(row, isAddress);

describe("the address column", () => {
  it.each(["email", "E-Mail", "e-mail address", "E-Mail-Adresse", "Ｅｍａｉｌ", " email* "])(
    "may be named '%s'",
    (name) => {
      expect(find("Name", name, "City")).toEqual({ kind: "found", column: 1, hasHeader: true });
    },
  );

  it("is the one with the most obvious name", () => {
    expect(find("Address", "Email permission", "E-Mail", "Mail")).toMatchObject({ column: 2 });
    expect(find("Adresse", "Mailadresse")).toMatchObject({ column: 1 });
  });

  it("is found without a header, if the first row has exactly one address", () => {
    expect(find("reader@example.test")).toEqual({ kind: "found", column: 0, hasHeader: false });
    expect(find("A Reader", "reader@example.test")).toMatchObject({ column: 1, hasHeader: false });
    expect(find("a@example.test", "b@example.test")).toMatchObject({ kind: "missing" });
  });

  it("is never guessed", () => {
    expect(find("Name", "Gmail name")).toEqual({ kind: "missing", names: ["Name", "Gmail name"] });
    expect(find("Email", "Name", "e-mail")).toEqual({
      kind: "ambiguous",
      names: ["Email", "e-mail"],
    });
    expect(find("Work email", "Home email")).toMatchObject({ kind: "ambiguous" });
  });
});
