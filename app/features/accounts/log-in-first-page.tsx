import { LogInHere } from "./log-in-here";

type LogInFirstPageProps = {
  heading: string;
  lead: string;
  /** This page with its query string, to come back to. */
  returnTo: string;
};

/** Shown in place of a page whose link was followed by somebody who is not signed in. */
export function LogInFirstPage({ heading, lead, returnTo }: LogInFirstPageProps) {
  return (
    <div className="frame py-[clamp(3rem,8vw,6rem)]">
      <h1 className="page-heading">{heading}</h1>
      <p className="lead">{lead}</p>
      <LogInHere returnTo={returnTo} />
    </div>
  );
}
