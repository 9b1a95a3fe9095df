import { HONEYPOT_FIELD } from "./honeypot-field";

/**
 * A field no person sees, reaches by keyboard or hears of; programs that fill in every field give
 * themselves away by it. Its name is nothing a browser fills in by itself.
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
