import { Form, type FormProps, useNavigation } from "@remix-run/react";
import { type ComponentPropsWithoutRef, type ReactNode, useId } from "react";
import type { FormRefusal } from "~/http/form-refusal";
import { Button, type ButtonVariant } from "~/ui";

/** A page's heading with what belongs beside it, such as a button. */
export function DeskHeading({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="desk-heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </header>
  );
}

/** A part of a page under a heading of its own. */
export function DeskSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="desk-section">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

type DeskTableProps = {
  /** What the table lists, for screen readers. */
  caption: string;
  columns: readonly string[];
  /** Rows of cells, each with a key. */
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  /** Shown in place of a table without rows. */
  empty: string;
};

/** A table; in a narrow window each row is a block with its columns' names. */
export function DeskTable({ caption, columns, rows, empty }: DeskTableProps) {
  if (rows.length === 0) return <p className="desk-empty">{empty}</p>;
  return (
    <table className="desk-table">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td key={columns[index]} data-column={columns[index]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names and values, such as a person's facts. Absent values are left out. */
export function DeskFacts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="desk-facts">
      {facts
        .filter(([, value]) => value != null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Why a form was refused, with mistakes at their lines. Nothing for null, or where the list of mistakes is empty. */
export function DeskProblems({ refusal }: { refusal: FormRefusal | null | undefined }) {
  if (!refusal || refusal.problems?.length === 0) return null;
  return (
    <div role="alert" className="desk-problems">
      <p>{refusal.message}</p>
      {refusal.problems && (
        <ul>
          {refusal.problems.map(({ line, problem }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list that is replaced as a whole.
            <li key={index}>
              {line !== null && <b>Line {line}: </b>}
              {problem}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type DeskLineProps = Omit<FormProps, "method"> & {
  /** The form's `intent`, and other hidden fields. */
  fields: Record<string, string>;
  /** The label of its button. */
  button: ReactNode;
  variant?: ButtonVariant;
};

/** A short form on one line, as far as there is room. */
export function DeskLine({ fields, button, variant, children, ...form }: DeskLineProps) {
  return (
    <Form className="desk-actions" {...form} method="post">
      <HiddenFields fields={fields} />
      {children as ReactNode}
      <DeskSubmit variant={variant ?? "secondary"}>{button}</DeskSubmit>
    </Form>
  );
}

/** A form of one button. */
export function DeskButton({ children, ...form }: Omit<DeskLineProps, "button">) {
  return <DeskLine {...form} button={children as ReactNode} className="desk-button" />;
}

export function HiddenFields({ fields }: { fields: Record<string, string> }) {
  return Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}

type DeskSubmitProps = ComponentPropsWithoutRef<typeof Button>;

/** A submit button that cannot be pressed again while a form of the page is on its way. */
export function DeskSubmit({ variant = "primary", ...button }: DeskSubmitProps) {
  const isBusy = useNavigation().state === "submitting";
  return (
    <Button {...button} type="submit" variant={variant} busy={isBusy} className="button-compact" />
  );
}

type AreaFieldProps = ComponentPropsWithoutRef<"textarea"> & { label: string };

/** A labeled area for a text of several lines. */
export function AreaField({ label, ...area }: AreaFieldProps) {
  const id = useId();
  return (
    <div className="desk-area">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <textarea {...area} id={id} className="field-input" dir="auto" />
    </div>
  );
}

type ChoiceFieldProps = ComponentPropsWithoutRef<"select"> & {
  label: string;
  /** Values with their labels. */
  options: readonly (readonly [value: string, label: string])[];
};

/** A labeled choice of one of several values. */
export function ChoiceField({ label, options, ...select }: ChoiceFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <select {...select} id={id} className="field-input">
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A labeled box to tick. */
export function CheckField({
  label,
  ...box
}: ComponentPropsWithoutRef<"input"> & { label: string }) {
  return (
    <label className="desk-check">
      <input {...box} type="checkbox" /> {label}
    </label>
  );
}

/** Links to other pages of a list, by their labels; null for a page that is not there. */
export function Pager({ links }: { links: Record<string, string | null> }) {
  return (
    <nav aria-label="Pages of the list" className="desk-pager">
      {Object.entries(links).map(
        ([label, to]) =>
          to && (
            <a key={label} href={to}>
              {label}
            </a>
          ),
      )}
    </nav>
  );
}
