import { get } from "node:http";

/**
 * Like `fetch`, but without decompressing the body, and without headers of its own.
 *
 * @param {string} url
 * @param {Record<string, string>} headers
 * @returns {Promise<Response>}
 */
export function rawGet(url, headers) {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, async (message) => {
      const chunks = [];
      for await (const chunk of message) chunks.push(chunk);
      const status = message.statusCode ?? 500;
      const raw = /** @type {Record<string, string>} */ (
        Object.fromEntries(
          Object.entries(message.headers).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          ),
        )
      );
      resolve(
        new Response(status === 304 ? null : Buffer.concat(chunks), { status, headers: raw }),
      );
    }).on("error", reject);
  });
}
