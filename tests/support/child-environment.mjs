/**
 * The environment of a program that is tested: what it takes to find and run one, warnings in the log, and
 * the variables given. Nothing else of this process's, whose DATABASE_URL or SMTP_URL may name something
 * real; so no NODE_ENV either, as for whoever starts the program.
 *
 * @param {Record<string, string>} variables
 */
export function childEnvironment(variables) {
  return environment({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LOG_LEVEL: "warn",
    ...variables,
  });
}

/**
 * Variables as `node:child_process` takes them: Remix declares NODE_ENV to be set in every environment, though
 * no child needs it.
 *
 * @param {Record<string, string | undefined>} variables
 */
export function environment(variables) {
  return /** @type {NodeJS.ProcessEnv} */ (variables);
}
