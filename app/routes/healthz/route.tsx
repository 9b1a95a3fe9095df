/** Whether the process answers at all; says nothing of the database. */
export const loader = () =>
  new Response("ok\n", {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
