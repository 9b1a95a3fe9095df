import { createServer as createHttpServer, request } from "node:http";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { AwsV4Signer } from "aws4fetch";

/** The only key that s3rver accepts. */
export const BUCKET_KEY = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

/**
 * An S3 server with one empty bucket, behind a connection that a test can disturb.
 *
 * @param {string} directory where it keeps the objects
 * @returns {Promise<{
 *   url: string,
 *   cutAfter: (bytes: number | null, times?: number) => void,
 *   hang: (hangs: boolean) => void,
 *   uploads: () => number,
 *   loseEnds: (loses: boolean) => void,
 *   close: () => Promise<void>,
 * }>}
 */
export async function startBucket(directory) {
  const S3rver = createRequire(import.meta.url)("s3rver");
  const storage = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: "backups" }],
  });
  const { port: storagePort } = await storage.run();
  const guard = createHttpServer((incoming, outgoing) => {
    const isEnd = incoming.method === "POST" && incoming.url?.includes("uploadId=");
    void guardRequest(incoming, outgoing, storagePort, losesEnds && isEnd === true);
  });
  await new Promise((resolve) => guard.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (guard.address());
  let losesEnds = false;
  /** @type {number | null} */
  let limit = null;
  let cuts = 0;
  let hangs = false;
  let uploads = 0;
  const line = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    let passed = 0;
    client.on("data", (chunk) => {
      if (chunk.includes("PUT /")) uploads++;
      passed += chunk.length;
      if (limit !== null && cuts > 0 && passed > limit) {
        cuts--;
        client.destroy();
        server.destroy();
      } else if (!hangs) server.write(chunk);
    });
    server.on("data", (chunk) => {
      passed += chunk.length;
      if (limit !== null && cuts > 0 && passed > limit) {
        cuts--;
        client.destroy();
        server.destroy();
      } else if (!hangs) client.write(chunk);
    });
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    client.on("error", () => {});
    server.on("error", () => {});
  });
  await new Promise((resolve) => line.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (line.address());
  return {
    url: `http://127.0.0.1:${address.port}/backups/golden-path`,
    cutAfter: (bytes, times = Number.POSITIVE_INFINITY) => {
      limit = bytes;
      cuts = times;
    },
    hang: (value) => {
      hangs = value;
    },
    uploads: () => uploads,
    // completing an upload succeeds, but its response is lost
    loseEnds: (value) => {
      losesEnds = value;
    },
    close: async () => {
      line.close();
      guard.close();
      guard.closeAllConnections();
      await storage.close();
    },
  };
}

/**
 * Passes a request on if aws4fetch computes the same signature: s3rver does not check those of version 4.
 *
 * @param {import("node:http").IncomingMessage} incoming
 * @param {import("node:http").ServerResponse} outgoing
 * @param {number} port
 * @param {boolean} losesAnswer
 */
async function guardRequest(incoming, outgoing, port, losesAnswer) {
  const { headers, method, url } = incoming;
  const given = headers.authorization ?? "";
  const [, region = "", signed = ""] =
    /Credential=[^/]+\/\d+\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+)/.exec(given) ?? [];
  const names = signed.split(";").filter((name) => name !== "host");
  const signer = new AwsV4Signer({
    ...BUCKET_KEY,
    method,
    url: `http://${headers.host}${url}`,
    headers: Object.fromEntries(names.map((name) => [name, String(headers[name] ?? "")])),
    service: "s3",
    region,
    datetime: String(headers["x-amz-date"] ?? ""),
    allHeaders: true,
  });
  const { headers: expected } = await signer.sign();
  const signature = (/** @type {string} */ text) => /Signature=([0-9a-f]{64})/.exec(text)?.[1];
  const isKnown = given.includes(`Credential=${BUCKET_KEY.accessKeyId}/`);
  if (isKnown && signature(given) !== signature(expected.get("authorization") ?? "")) {
    outgoing.writeHead(403, { "Content-Type": "application/xml", Connection: "close" });
    outgoing.end(
      '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>',
    );
    return;
  }
  const passed = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    if (losesAnswer) {
      answer.resume().once("end", () => outgoing.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on("error", () => outgoing.destroy());
  outgoing.on("close", () => passed.destroy());
  incoming.pipe(passed);
}
