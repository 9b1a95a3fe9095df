import { z } from "zod";
import type { Faults } from "../engine/faults";
import type { Latency } from "../engine/latency";
import type { RequestLog } from "../engine/request-log";
import type { Sandbox } from "../engine/sandbox";
import type { WebhookDispatcher } from "../engine/webhook-dispatcher";
import { ControlError } from "./error";

/** What the control API and its page work on. */
export type ControlContext = {
  sandbox: Sandbox;
  faults: Faults;
  latency: Latency;
  requests: RequestLog;
  dispatcher: WebhookDispatcher;
};

/** One endpoint of the control API. */
export type ControlAction = {
  method: "GET" | "POST" | "DELETE";
  pattern: string;
  run(context: ControlContext, id: string, input: unknown): object | Promise<object>;
};

/** A control action from the schema of its input, which also coerces the text of forms, and its work. */
export function action<Shape extends z.ZodType>(
  method: ControlAction["method"],
  pattern: string,
  shape: Shape,
  run: (context: ControlContext, id: string, input: z.output<Shape>) => object | Promise<object>,
): ControlAction {
  return {
    method,
    pattern,
    run: (context, id, input) => {
      const read = shape.safeParse(input);
      if (!read.success) throw new ControlError(400, z.prettifyError(read.error));
      return run(context, id, read.data);
    },
  };
}
