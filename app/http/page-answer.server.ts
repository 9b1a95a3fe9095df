import { data } from "@remix-run/node";
import { OperatorError } from "~db/operator-error";
import { redirectWithToast } from "./form-answer.server";
import type { FormRefusal } from "./form-refusal";
import type { FieldValue } from "./request-body.server";

/** Answers a form that was done: leads to a page whose toast says what happened. */
export const doneAt = (path: string, title: string, description?: string) =>
  redirectWithToast(path, { title, description, variant: "default" });

/** Answers a form that was refused, as its page's action data: the page is shown again, with the reason and what was typed. */
export const refuse = (refusal: FormRefusal, status = 422) =>
  data({ refusal }, { status, headers: { "Cache-Control": "no-store" } });

/** A form's field as one text; "" if it is absent or repeated. */
export const textOf = (value: FieldValue): string => (typeof value === "string" ? value : "");

/** Returns the number of the page that a list's address asks for, from 1. */
export function pageOf(request: Request): number {
  const page = Number(new URL(request.url).searchParams.get("page"));
  return Number.isInteger(page) && page > 0 && page < 100_000 ? page : 1;
}

/** Answers a form by `work`, or by a refusal with the sentence of an OperatorError that it throws. */
export async function doneOrRefused<Answer>(
  work: () => Promise<Answer>,
  typed?: Record<string, string>,
): Promise<Answer | ReturnType<typeof refuse>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) return refuse({ message: error.message, typed });
    throw error;
  }
}
