import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

/** Records by type and name, as in `A book.example`; a name without any record does not exist. */
export type Records = Record<string, string[]>;

export type NameServer = {
  /** The server's address in a resolver's form. */
  address: string;
  /** May be changed at any time. */
  records: Records;
  /** While set, the server answers no query. */
  isSilent: boolean;
  close(): Promise<void>;
};

/** Types and codes of RFC 1035, 3.2.2 and 4.1.1. */
const TYPES: Record<number, string> = { 1: "A", 12: "PTR", 16: "TXT", 28: "AAAA" };
const NO_SUCH_NAME = 3;

/** Starts a DNS server on loopback with only these records. */
export async function startNameServer(records: Records): Promise<NameServer> {
  const socket = createSocket("udp4");
  const server: NameServer = {
    address: "",
    records,
    isSilent: false,
    close: () => new Promise((done) => socket.close(() => done())),
  };
  socket.on("message", (query, from) => {
    if (!server.isSilent) socket.send(answer(query, server.records), from.port, from.address);
  });
  await new Promise<void>((listening) => socket.bind(0, "127.0.0.1", listening));
  server.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  return server;
}

function answer(query: Buffer, records: Records): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join(".").toLowerCase();
  const type = TYPES[query.readUInt16BE(at + 1)] ?? "";
  const found = records[`${type} ${name}`] ?? [];
  const isKnown = Object.keys(records).some((key) => key.endsWith(` ${name}`));
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // a response, recursion desired and available
  head.writeUInt16BE(0x8180 | (isKnown ? 0 : NO_SUCH_NAME), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(found.length, 6);
  const answers = found.map((value) => {
    const data =
      type === "A"
        ? Buffer.from(value.split(".").map(Number))
        : // a name's labels and its end, or strings of at most 255 characters, which the reader joins
          Buffer.concat(
            (type === "PTR" ? [...value.split("."), ""] : (value.match(/.{1,255}/g) ?? [])).flatMap(
              (part) => [Buffer.from([part.length]), Buffer.from(part, "latin1")],
            ),
          );
    const start = Buffer.alloc(12);
    // the question's name, by its position
    start.writeUInt16BE(0xc00c, 0);
    start.writeUInt16BE(query.readUInt16BE(at + 1), 2);
    start.writeUInt16BE(1, 4);
    start.writeUInt16BE(data.length, 10);
    return Buffer.concat([start, data]);
  });
  return Buffer.concat([head, query.subarray(12, at + 5), ...answers]);
}
