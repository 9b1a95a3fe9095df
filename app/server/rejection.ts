/** The host's own response to a request that fails a check, or that is redirected. */
export type Rejection = { status: number; message: string; headers?: Record<string, string> };
