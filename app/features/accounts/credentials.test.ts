import { describe, expect, it } from "vitest";
import { emailSchema, firstProblem, logInSchema, readEmail, signUpSchema } from "./credentials";

const NO_ADDRESS = "Unable to validate email address: invalid format";

/** Returns a valid address of this length in characters. */
const addressOf = (length: number) => "@example.test".padStart(length, "a");

/** Returns the toast's text about an address; null if it is accepted. */
function problemOf(address: unknown): string | null {
  const { error } = emailSchema.safeParse(address);
  return error ? firstProblem(error) : null;
}

describe("readEmail and emailSchema", () => {
  it("trims the address and lowercases it", () => {
    expect(readEmail("\t Reader@Example.TEST \n")).toBe("reader@example.test");
  });

  it("normalizes Unicode", () => {
    // the grave accent as U+1FEF
    expect(readEmail("a\u1FEFb@example.test")).toBe("a`b@example.test");
  });

  it("accepts up to 254 characters", () => {
    expect(problemOf(addressOf(254))).toBeNull();
    expect(problemOf(addressOf(255))).toBe(NO_ADDRESS);
  });

  it("accepts up to 100 characters of surrounding whitespace", () => {
    expect(readEmail(addressOf(254).padStart(354))).toBe(addressOf(254));
    expect(problemOf(addressOf(254).padStart(355))).toBe(NO_ADDRESS);
    expect(problemOf(addressOf(20).padStart(355))).toBe(NO_ADDRESS);
  });

  it.each(["", "nonsense", "a@b@c.test", "ä@example.test", "a b@example.test"])(
    "rejects '%s'",
    (text) => {
      expect(problemOf(text)).toBe(NO_ADDRESS);
      expect(readEmail(text)).toBeNull();
    },
  );
});

describe("a password", () => {
  const email = "reader@example.test";
  const problems = (schema: typeof signUpSchema, password: unknown) => {
    const { error } = schema.safeParse({ email, password });
    return error ? firstProblem(error) : null;
  };

  it("must have 6 to 1000 characters at sign-up", () => {
    expect(problems(signUpSchema, "12345")).toBe("Password should be at least 6 characters.");
    expect(problems(signUpSchema, "123456")).toBeNull();
    expect(problems(signUpSchema, "x".repeat(1_000))).toBeNull();
    expect(problems(signUpSchema, "x".repeat(1_001))).toBe(
      "Password should be at most 1000 characters.",
    );
  });

  it("may be short at log-in, but not missing", () => {
    expect(problems(logInSchema, "1")).toBeNull();
    expect(problems(logInSchema, "")).toBe("Please enter a password.");
    expect(problems(logInSchema, undefined)).toBe("Please enter a password.");
    expect(problems(logInSchema, "x".repeat(1_001))).toBe(
      "Password should be at most 1000 characters.",
    );
  });

  it("keeps surrounding whitespace", () => {
    expect(logInSchema.parse({ email, password: " secret " }).password).toBe(" secret ");
  });
});
