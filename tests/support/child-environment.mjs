/**
 * The environment of a program under test: the variables to find and run it, log level `warn`, and the given ones.
 * Nothing else is inherited: this process's DATABASE_URL or SMTP_URL may name something real. NODE_ENV is absent, as
 * when a person starts the program.
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
