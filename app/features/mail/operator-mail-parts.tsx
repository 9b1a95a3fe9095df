import { MailSmallPrint, MailText } from "./mail-elements";

/** Command lines to copy, one below the other. */
export function CommandLines({ commands }: { commands: readonly string[] }) {
  return (
    <>
      {commands.map((command) => (
        <MailText key={command}>
          <code>{command}</code>
        </MailText>
      ))}
    </>
  );
}

/** Why the operator gets a mail. */
export function OperatorNote({ host }: { host: string }) {
  return (
    <MailSmallPrint>
      You get this because your address is OPERATOR_EMAIL of {host}. In a container, put ‘docker
      exec’ and its name before a command.
    </MailSmallPrint>
  );
}
