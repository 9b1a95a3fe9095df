// Lets a test outside a network namespace connect from any address inside it. Run there, it accepts connections on
// Unix sockets, given as `<address>=<path>`, and forwards them to a port from that address.
import { connect, createServer, isIPv6 } from "node:net";

const [port, ...doors] = process.argv.slice(2);

await Promise.all(
  doors.map((door) => {
    const [localAddress = "", path] = door.split("=");
    const host = isIPv6(localAddress) ? "::1" : "127.0.0.1";
    const server = createServer((visitor) => {
      const onward = connect({ host, port: Number(port), localAddress });
      visitor.on("error", () => onward.destroy()).pipe(onward);
      onward.on("error", () => visitor.destroy()).pipe(visitor);
      visitor.once("close", () => onward.destroy());
    });
    return new Promise((done) => server.listen(path, () => done(undefined)));
  }),
);
process.stdout.write("ready\n");
// ends with the parent process
process.stdin.resume().once("end", () => process.exit());
