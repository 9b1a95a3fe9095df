import { env } from "~/env.server";
import { type Answer, ok, problem, warning } from "./answer";

/** What to set, for settings that a production site needs; what mail and payments lack is said with them. */
const MISSING: Record<string, [effect: string, advice: string]> = {
  PUBLIC_URL: [
    "visitors cannot be told the site's address",
    "Set PUBLIC_URL to the address that visitors use, such as https://book.example.",
  ],
  SECURITY_CONTACT: [
    "whoever finds a hole cannot tell you",
    "Set SECURITY_CONTACT to an e-mail address or a page, for /.well-known/security.txt.",
  ],
};

/** Warnings that another check gives with more detail. */
const SAID_ELSEWHERE = /^(PUBLIC_URL is https, so there is a proxy|SMTP_URL is not set)/;

/** Settings that are missing, or valid but often a mistake. */
export function checkSettings(): Answer[] {
  const { WARNINGS, MISSING: missing } = env();
  const answers = [
    ...missing.flatMap((name) => {
      const [effect, advice] = MISSING[name] ?? [];
      return effect ? [warning(name, `not set: ${effect}`, advice)] : [];
    }),
    ...WARNINGS.filter((text) => !SAID_ELSEWHERE.test(text)).map(adviceOf),
  ];
  return answers.length > 0 ? answers : [ok("variables", "valid, and none contradicts another")];
}

/** A warning is `name is …: effect. What to do.`, with or without the last sentence. */
function adviceOf(text: string): Answer {
  const [, name = "variables", rest = text] = /^([A-Z][A-Z0-9_]+)\b ?(.*)$/s.exec(text) ?? [];
  const [found = rest, ...more] = rest.split(/(?<=\.) /);
  const advice =
    more.join(" ") ||
    /: (add .*)$/.exec(found)?.[1] ||
    "If that is meant, nothing; else correct or unset it, and restart the site.";
  return warning(name, found.replace(/\.$/, ""), advice.charAt(0).toUpperCase() + advice.slice(1));
}

/** The lines of the error with which settings could not be read. */
export function invalidSettings(message: string): Answer[] {
  return message.split("\n").map((line) => {
    const [, name = "variables", found = line, wanted] =
      /^([\w-]+): found (.*), wanted (.*?)\.?$/s.exec(line) ?? [];
    const advice = wanted ? `Set it to ${wanted}.` : "Correct it.";
    const said = wanted ? `found ${found}` : found;
    return problem(name, said, `${advice} The site does not start before that.`);
  });
}
