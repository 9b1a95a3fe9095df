import type { FormProblem } from "~/http/form-refusal";

/** In place of a preview: the mistakes for which there is none. */
export function UnshownPage({ problems }: { problems: FormProblem[] }) {
  return (
    <div className="frame py-8">
      <h1 className="page-heading">Not shown yet</h1>
      <p className="mt-4">The page appears once this is mended:</p>
      <ul className="mt-4 list-disc pl-6">
        {problems.map(({ line, problem }) => (
          <li key={`${line} ${problem}`}>
            {line !== null && `Line ${line}: `}
            {problem}
          </li>
        ))}
      </ul>
    </div>
  );
}
