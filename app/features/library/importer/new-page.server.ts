import { stringify } from "yaml";
import { OperatorError } from "~db/operator-error";
import type { NewFile } from "./content-folder.server";
import { SLUG } from "./text-slug";

/** What each page is called, and its text with gaps to fill in. */
const PAGES: Record<string, { title: string; text: string }> = {
  privacy: {
    title: "Privacy",
    text: `[[Who you are: name, postal address and email address]] is responsible for this site.

## What is stored

- **Your account:** email address, a hash of your password, passkeys, the picture you upload, and when each was set.
- **Your sessions:** when and with which kind of device you logged in. A session ends 30 days after its last use.
- **Your reading:** how far you are in each text, your settings, your notes.
- **Your membership:** its dates and state, and the numbers under which Stripe knows you. No card number reaches this
  site.
- **The newsletter:** your email address, and when and where you asked for it. It is deleted when you unsubscribe.
- **Visits:** a count of visitors a day. The hash that tells visitors apart is deleted within the following hours.
- **Logs:** the network, not the address, of each request. They are kept for [[how long your server keeps logs]].

Backups have the same data. They are deleted after [[how long you keep backups]].

## Cookies

One cookie keeps you logged in, one shows the result of a form, one recognizes a browser you have used before, and one
keeps your reading settings. None follows you to other sites.

## Who else gets data

- **Stripe** takes the payments: [Stripe's privacy policy](https://stripe.com/privacy).
- [[Your mail provider]] delivers our mail.
- [[Your hosting provider]] runs the server.

## Your rights

On your account page you can download all that is stored about you, and delete it. For anything else, write to
[[your email address]]. You may also complain to [[your data protection authority]].
`,
  },
  imprint: {
    title: "Imprint",
    text: "[[Name]]\n\n[[Street and number]]\n\n[[ZIP or postal code, town and country]]\n\nE-mail: [[address]]\n",
  },
  terms: { title: "Terms", text: "[[Your terms]]\n" },
  withdrawal: { title: "Right of withdrawal", text: "[[How a buyer withdraws, and the form]]\n" },
};

/** Returns the file of a new page. Throws an OperatorError if its name is invalid. */
export function planPage(name: string): NewFile {
  if (!SLUG.test(name)) {
    throw new OperatorError(
      `A page's name: found '${name}', wanted lower-case letters, digits and hyphens, such as privacy.`,
    );
  }
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  const page = PAGES[name] ?? { title, text: "[[Your text]]\n" };
  const content = `---\n${stringify({ title: page.title })}---\n\n${page.text}`;
  return { name: `pages/${name}.md`, content };
}
