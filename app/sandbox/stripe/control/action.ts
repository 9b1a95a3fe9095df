import { z } from "zod";
import type { Faults, Latency } from "../engine/faults";
import { type Collection, type ObjectOf, requireObject } from "../engine/objects";
import type { RequestLog } from "../engine/request-log";
import type { Sandbox } from "../engine/sandbox";
import { BANK_ACCOUNT, TEST_CARDS, type TestCard } from "../engine/test-cards";
import type { WebhookDispatcher } from "../engine/webhook-dispatcher";

/** The dependencies of the control API and its page. */
export type ControlContext = {
  sandbox: Sandbox;
  faults: Faults;
  latency: Latency;
  requests: RequestLog;
  dispatcher: WebhookDispatcher;
};

/** Where the control API's paths begin. */
export const CONTROL_ROOT = "/_control/";

/** One endpoint of the control API. */
export type ControlAction = {
  method: "GET" | "POST";
  pattern: string;
  shape: z.ZodType;
  run(context: ControlContext, id: string, input: unknown): object | Promise<object>;
};

/** A control request that cannot be performed, with its HTTP status. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Creates a control action from its handler and its input schema, which also coerces form text. */
export function action<Shape extends z.ZodType>(
  method: ControlAction["method"],
  path: string,
  shape: Shape,
  run: (context: ControlContext, input: z.output<Shape>, id: string) => object | Promise<object>,
): ControlAction {
  return {
    method,
    pattern: CONTROL_ROOT + path,
    shape,
    run: (context, id, input) => {
      const read = shape.safeParse(input);
      if (!read.success) throw new ControlError(400, z.prettifyError(read.error));
      return run(context, read.data, id);
    },
  };
}

/** Creates the actions on one kind of object. Each responds with its handler's result, or else the object. */
export function actionsOn<Name extends Collection>(collection: Name, path: string) {
  return <Shape extends z.ZodType>(
    name: string,
    shape: Shape,
    run: (sandbox: Sandbox, object: ObjectOf<Name>, input: z.output<Shape>) => unknown,
  ): ControlAction =>
    action("POST", `${path}/:id/${name}`, shape, ({ sandbox }, input, id) => {
      const object = requireObject(sandbox, collection, id);
      return (run(sandbox, object, input) ?? object) as object;
    });
}

/** The input of an action without parameters. */
export const noInput = z.object({});

/** A non-negative integer. */
export const count = z.coerce.number().int().min(0);

/** A boolean, also as sent by a form. */
export const flag = z.union([z.boolean(), z.stringbool()]);

const cards = Object.keys(TEST_CARDS) as [TestCard, ...TestCard[]];

/** A test card's number, with or without spaces. */
export const card = z
  .string()
  .transform((number) => number.replace(/\s/g, ""))
  .pipe(z.enum(cards))
  .default("4242424242424242");

/** A test card's number, or the bank account. */
export const instrument = z.union([z.literal(BANK_ACCOUNT), card]).default("4242424242424242");
