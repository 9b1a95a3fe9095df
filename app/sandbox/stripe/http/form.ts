import { ApiError } from "../engine/api-error";

/** A decoded form: values are text, brackets make nested forms, lists are forms with keys 0, 1, 2, … */
export type Form = { [name: string]: FormValue };
export type FormValue = string | Form;

const MAX_FIELDS = 2_000;
const MAX_DEPTH = 10;

/** Creates a form without a prototype, safe for any field name. */
function emptyForm(): Form {
  return Object.create(null) as Form;
}

/**
 * Decodes `application/x-www-form-urlencoded` text with Stripe's bracket nesting (`items[0][price]=…`, `types[]=…`).
 * Throws an ApiError with status 400 for malformed text.
 */
export function decodeForm(text: string): Form {
  const form = emptyForm();
  if (text === "") return form;
  const fields = text.split("&");
  if (fields.length > MAX_FIELDS) throw malformed(`more than ${MAX_FIELDS} fields`);
  for (const field of fields) {
    if (field === "") continue;
    const equals = field.indexOf("=");
    const name = decode(equals === -1 ? field : field.slice(0, equals));
    const value = equals === -1 ? "" : decode(field.slice(equals + 1));
    put(form, nameParts(name), value);
  }
  return form;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformed("a broken percent-encoding");
  }
}

function nameParts(name: string): string[] {
  const bracket = name.indexOf("[");
  if (bracket === -1) return [name];
  const inner = name.slice(bracket);
  if (bracket === 0 || !/^(\[[^[\]]*\])+$/.test(inner)) {
    throw malformed(`a parameter name that is not balanced: ${name.slice(0, 60)}`);
  }
  const parts = [name.slice(0, bracket), ...inner.slice(1, -1).split("][")];
  if (parts.length > MAX_DEPTH) throw malformed("parameters nested too deeply");
  return parts;
}

function put(form: Form, parts: string[], value: string): void {
  let target = form;
  parts.forEach((part, index) => {
    const key = part === "" ? String(Object.keys(target).length) : part;
    if (index === parts.length - 1) {
      if (typeof target[key] === "object") throw malformed(`two kinds of value for ${parts[0]}`);
      target[key] = value;
      return;
    }
    const next = target[key] ?? emptyForm();
    if (typeof next === "string") throw malformed(`two kinds of value for ${parts[0]}`);
    target[key] = next;
    target = next;
  });
}

function malformed(what: string): ApiError {
  return new ApiError(400, {
    type: "invalid_request_error",
    message: `Invalid request: the parameters could not be read (${what}).`,
  });
}
