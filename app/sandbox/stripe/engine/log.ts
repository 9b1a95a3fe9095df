/** Where the sandbox's log lines go. Lines carry ids and outcomes, never card numbers or secrets. */
export type Log = (line: { msg: string; [key: string]: unknown }) => void;
