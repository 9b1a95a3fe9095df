import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { Mail } from "../render-mail";

/** Shows the operator, who asked for it on the command line, that mail of this site arrives. */
export function testMail({ siteUrl }: { siteUrl: string }): Mail {
  return composeMail({
    subject: "A test of your site's mail",
    preview: "It arrived, and looks as the site's other letters do.",
    heading: "Your site’s mail arrives",
    text: [
      <>
        This letter was sent by <MailLink href={siteUrl}>your site</MailLink>, in the same way as
        the letters to readers. If you found it among spam, look at what ‘mail doctor’ says about
        SPF, DKIM and DMARC.
      </>,
    ],
    notes: [
      "Somebody who looks after the site asked for this letter with ‘mail test’. If that was not you, they mistyped an address: there is nothing to do, and no more will come.",
    ],
  });
}
