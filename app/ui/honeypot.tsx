import { HONEYPOT_FIELD } from "./honeypot-field";

/**
 * A field hidden from people, keyboard and screen readers; bots that fill in every field give themselves away
 * by it. Its name is one that browsers do not autofill.
 */
export function Honeypot() {
  return (
    <div className="absolute -left-[200vw] size-px overflow-hidden" aria-hidden="true">
      <label>
        Leave this empty
        <input type="text" name={HONEYPOT_FIELD} tabIndex={-1} autoComplete="off" defaultValue="" />
      </label>
    </div>
  );
}
