// The reference for sending a newsletter: a loop around nodemailer's pool, and nothing else. Forked.
import nodemailer from "nodemailer";

process.once("message", async (work) => {
  const { url, mails, connections, message } =
    /** @type {{ url: string, mails: number, connections: number, message: string }} */ (work);
  const pool = nodemailer.createTransport({ url, pool: true, maxConnections: connections });
  // all but what differs for each recipient
  const rest = Buffer.from(message.replace(/^(?:To|Message-ID): .*\r\n/gm, ""), "latin1");
  let next = 0;
  const sendInTurn = async () => {
    while (next < mails) {
      const to = `bare-${next++}@bench.test`;
      const own = Buffer.from(`To: <${to}>\r\nMessage-ID: <${to}>\r\n`);
      await pool.sendMail({
        envelope: { from: "letters@bench.test", to },
        raw: Buffer.concat([own, rest]),
      });
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: connections }, sendInTurn));
  pool.close();
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpu: (user + system) / 1e6 }, () => process.disconnect());
});
