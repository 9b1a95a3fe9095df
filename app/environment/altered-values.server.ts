import { SETTING_NAMES } from "./schema.server";

/**
 * Signs that a value is not what was written in the file of settings: Compose, `docker run --env-file`, Node.js and
 * systemd read quotes, `$` and ` #` differently (docs/configuration.md). After each, what to do.
 */
const SIGNS: [sign: RegExp, meaning: string][] = [
  [
    / #/,
    "contains ' #': if that begins a comment, it became part of the value, and other readers cut it off. Write comments on lines of their own.",
  ],
  [/\$\$/, "contains '$$', which only Compose reads as one '$'. Write $ as %24 in an address."],
  [
    /^["'][^"']*$|^[^"']*["']$/,
    "has a quote at one end, which became part of it. Write the value without quotes.",
  ],
  [
    /^\w+:\/\/[^/@:]+:@/,
    "has a user with an empty password. Compose replaces $ and the name after it: write $ as %24.",
  ],
];

/** Warnings about settings that were probably altered on the way here: their names without their values. */
export function findAlteredValues(variables: Record<string, string>): string[] {
  return SETTING_NAMES.flatMap((name) =>
    SIGNS.filter(([sign]) => sign.test(variables[name] ?? "")).map(
      ([, meaning]) => `${name} ${meaning}`,
    ),
  );
}
