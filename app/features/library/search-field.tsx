import { useId } from "react";
import { Button } from "~/ui";
import { SEARCH_PATH } from "./library-paths";
import { MAX_SEARCH_LENGTH, SEARCH_PARAMETER } from "./search-paths";

/** The field that searches the edition's texts, a form of its own; `query` is what was looked for last. */
export function SearchField({ query = "" }: { query?: string }) {
  const id = useId();
  return (
    <search>
      <form action={SEARCH_PATH} className="search-field">
        <label htmlFor={id} className="field-label">
          Search the chapters and extras
        </label>
        <div className="mt-2 flex flex-wrap gap-3">
          <input
            // another search by the same page's links has other words
            key={query}
            id={id}
            type="search"
            name={SEARCH_PARAMETER}
            defaultValue={query}
            maxLength={MAX_SEARCH_LENGTH}
            autoComplete="off"
            enterKeyHint="search"
            className="field-input min-w-0 flex-[1_1_14rem]"
          />
          <Button type="submit">Search</Button>
        </div>
      </form>
    </search>
  );
}
