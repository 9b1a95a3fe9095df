import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { useAuth } from "./auth-context";

function Caller() {
  useAuth();
  return null;
}

it("useAuth says so when it is used outside an AuthProvider", () => {
  expect(() => renderToStaticMarkup(<Caller />)).toThrow(
    "useAuth must be used within an AuthProvider",
  );
});
