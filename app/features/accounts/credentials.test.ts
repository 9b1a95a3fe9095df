import { describe, expect, it } from "vitest";
import { firstProblem, logInSchema, signUpSchema } from "./credentials";

describe("a password", () => {
  const email = "reader@example.test";
  const problems = (schema: typeof signUpSchema, password: unknown) => {
    const { error } = schema.safeParse({ email, password });
    return error ? firstProblem(error) : null;
  };

  it("must have 6 characters at sign-up", () => {
    expect(problems(signUpSchema, "12345")).toBe("Password should be at least 6 characters.");
    expect(problems(signUpSchema, "123456")).toBeNull();
  });

  it("may be short at log-in, but not missing", () => {
    expect(problems(logInSchema, "1")).toBeNull();
    expect(problems(logInSchema, "")).toBe("Please enter a password.");
    expect(problems(logInSchema, undefined)).toBe("Please enter a password.");
  });

  it("keeps surrounding whitespace", () => {
    expect(logInSchema.parse({ email, password: " secret " }).password).toBe(" secret ");
  });
});
