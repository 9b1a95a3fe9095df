import { setEnvironment } from "~/env.server";
import type { Answer } from "~/features/checks/answer";
import { judgeArrival } from "~/features/checks/judge-arrival";
import { type Arrival, askSigned, FORGED_ADDRESS } from "~/features/checks/probe.server";
import { askProxy, type RunningProxy, SITE_HOST } from "./proxies";

/** Sends the doctor's request through a proxy; returns what reached the site, and the doctor's findings. */
export async function probeThrough(
  proxy: RunningProxy,
  dataDir: string,
): Promise<{ arrival: Arrival; findings: Answer[] }> {
  setEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const { query, read } = askSigned();
  const { text } = await askProxy(proxy, `/healthz${query}`, {
    headers: { "X-Forwarded-For": FORGED_ADDRESS },
  });
  const arrival = read(text);
  if (!arrival) throw new Error(`The site answered '${text}'.`);
  return { arrival, findings: judgeArrival(arrival, `https://${SITE_HOST}`) };
}
