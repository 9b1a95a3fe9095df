import { connect, createServer } from "node:net";

/**
 * Whether a server could listen on this port: on the host, or on all interfaces without one. Also false if
 * something answers on loopback, which not every system treats as a conflict.
 *
 * @param {number} port
 * @param {string} [host]
 */
export async function isPortFree(port, host) {
  if (!(await canListen(port, host))) return false;
  const answers = await Promise.all(
    ["127.0.0.1", "::1"].map((address) => isAnswered(port, address)),
  );
  return !answers.includes(true);
}

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Promise<boolean>}
 */
function canListen(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    // other errors, such as a privileged port, are the program's to report
    server.once("error", (error) =>
      resolve(/** @type {NodeJS.ErrnoException} */ (error).code !== "EADDRINUSE"),
    );
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
}

/**
 * @param {number} port
 * @param {string} address
 * @returns {Promise<boolean>}
 */
function isAnswered(port, address) {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    const end = (/** @type {boolean} */ answered) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
