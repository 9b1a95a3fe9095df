import { useId } from "react";
import { Button } from "~/ui";
import { SEARCH_PATH } from "./library-paths";
import { MAX_SEARCH_LENGTH, SEARCH_PARAMETER } from "./search-paths";

/** A form that searches the edition's texts; `query` is the last search. */
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
            // resets the field when a link on this page changes the search
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
