import { useId } from "react";
import { Button } from "~/ui";
import { SEARCH_PATH } from "./library-paths";
import { MAX_SEARCH_LENGTH, SEARCH_PARAMETER } from "./search-paths";

type SearchFieldProps = {
  /** The last search. */
  query?: string;
  id?: string;
  /** Path of a text in which to search alone. */
  here?: string;
  /** The page of the results. */
  action?: string;
  label?: string;
};

/** A form that searches the edition's texts, one of them, or what another page lists. */
export function SearchField({
  query = "",
  id: givenId,
  here,
  action = SEARCH_PATH,
  label = "Search the chapters and extras",
}: SearchFieldProps) {
  const ownId = useId();
  const id = givenId ?? ownId;
  return (
    <search>
      <form action={action} className="search-field">
        <label htmlFor={id} className="field-label">
          {label}
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
          {here && (
            <Button type="submit" variant="secondary" formAction={here}>
              In this text
            </Button>
          )}
        </div>
      </form>
    </search>
  );
}
