import { execFileSync } from "node:child_process";
import { createSign } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { vi } from "vitest";
import { temporaryDirectory } from "./program";
import { serverProgram } from "./server-programs.mjs";

export const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mail";
export const HOST = "https://sns.eu-west-1.amazonaws.com";

const SIGNED = "Message MessageId Subject SubscribeURL Timestamp Token TopicArn Type".split(" ");

/** The fields of a message; undefined leaves one out. */
export type Fields = Record<string, string | undefined>;

export type FakeSns = {
  /** What was asked for, as host and path. */
  asked: string[];
  /** The body of a message in the documented shape, signed after `fields` replaced its own. */
  sign(fields: Fields, key?: string): string;
  /** Sends the site's requests to Amazon's hosts to this server, until `vi.restoreAllMocks`. */
  intercept(): void;
  close(): void;
};

/** A server in the place of Amazon SNS, with a certificate of its own. */
export async function startFakeSns(): Promise<FakeSns> {
  const { path, remove } = temporaryDirectory();
  mkdirSync(path, { recursive: true });
  const [certificate, key] = [join(path, "sns.crt"), join(path, "sns.key")];
  execFileSync(
    serverProgram("openssl") ?? "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=sns.amazonaws.com"].concat([
      "-keyout",
      key,
      "-out",
      certificate,
    ]),
    { stdio: "pipe" },
  );
  const privateKey = readFileSync(key, "utf8");
  const server = createServer((request, response) => {
    const isKnown = /^\/(SimpleNotificationService-0{32}\.pem|\?Action=ConfirmSubscription&.*)$/;
    if (isKnown.test(request.url ?? "")) response.end(readFileSync(certificate));
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked: string[] = [];
  const realFetch = globalThis.fetch;
  return {
    asked,
    intercept: () => {
      vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
        const { host, pathname, search } = new URL(String(input));
        asked.push(host + pathname);
        return realFetch(origin + pathname + search, init);
      });
    },
    sign: (fields, signingKey = privateKey) => {
      const message: Fields = {
        Type: "Notification",
        MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
        TopicArn: TOPIC,
        Timestamp: "2026-11-28T12:00:00.000Z",
        SignatureVersion: "1",
        SigningCertURL: `${HOST}/SimpleNotificationService-${"0".repeat(32)}.pem`,
        UnsubscribeURL: `${HOST}/?Action=Unsubscribe&SubscriptionArn=${TOPIC}:c9135db0`,
        ...fields,
      };
      const signer = createSign(message.SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1");
      for (const name of SIGNED) {
        if (message[name] !== undefined) signer.update(`${name}\n${message[name]}\n`);
      }
      return JSON.stringify({ ...message, Signature: signer.sign(signingKey, "base64") });
    },
    close: () => {
      server.close();
      remove();
    },
  };
}
