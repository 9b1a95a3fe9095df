import { registry } from "~/observability/metrics.server";

/** The value of a metric with all these labels; 0 if nothing was counted yet. */
export async function metricValue(
  name: string,
  labels: Record<string, string | number> = {},
): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  const found = metric?.values.find((sample) =>
    Object.entries(labels).every(
      ([label, value]) => String(sample.labels[label]) === String(value),
    ),
  );
  return found?.value ?? 0;
}
