// Forked by run.mjs: floods a site with log-ins from a separate process, so that the flood's client does not
// slow down the one that measures. Parameters: the site's pid, its origin, seconds.
import { measure } from "./load.mjs";

const [, , pid = "", origin = "", seconds = ""] = process.argv;

await measure(
  { pid: Number(pid), origin },
  {
    path: "/auth/login",
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Origin: origin,
      "Sec-Fetch-Site": "same-origin",
    },
    connections: 60,
    rate: 400,
    statuses: [401, 503],
    next: () => ({ body: JSON.stringify({ email: "user-1@bench.test", password: "wrong" }) }),
  },
  Number(seconds),
);
