import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { useAuth } from "./auth-context";

function Caller() {
  useAuth();
  return null;
}

it("useAuth throws outside an AuthProvider", () => {
  expect(() => renderToStaticMarkup(<Caller />)).toThrow(
    "useAuth must be used within an AuthProvider",
  );
});
