/*
 * React chooses its development or production half the moment it is imported. The bundle's first
 * import (of app/entry.server.tsx) is this file, which the build leaves a separate module, so that
 * `node build/index.js` runs the production half without anybody having to set NODE_ENV.
 */
process.env.NODE_ENV ??= "production";
