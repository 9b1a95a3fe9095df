import { useState } from "react";
import { Button, TextField, useHydrated } from "~/ui";
import { PODCAST_PAGE_PATH } from "./podcast-paths";

/** Explains how to listen in a podcast app, with the feed's address once the member has created it. */
export function PodcastPage({ address }: { address: string | null }) {
  return (
    <div className="frame podcast-page">
      <header>
        <p className="eyebrow">For your ears</p>
        <h1 className="page-heading">Listen in your podcast app</h1>
        <p className="lead">
          Listen to the book’s audio outside your browser. Your app downloads new episodes, plays
          them offline and remembers where you stopped.
        </p>
      </header>
      {address === null ? <FirstAddress /> : <OwnAddress address={address} />}
    </div>
  );
}

function FirstAddress() {
  return (
    <section aria-labelledby="address">
      <h2 id="address">Your own address</h2>
      <p>
        Podcast apps can’t log in, so you get a secret address instead. It’s yours alone and works
        as long as your membership does. You can change it anytime.
      </p>
      <AddressForm intent="create" label="Get your podcast address" />
    </section>
  );
}

function OwnAddress({ address }: { address: string }) {
  return (
    <>
      <section aria-labelledby="address">
        <h2 id="address">Your podcast address</h2>
        <CopiedField address={address} />
        <p>
          Anyone with this address can listen as you. Please treat it like a password, and keep it
          out of public directories.
        </p>
      </section>
      <section aria-labelledby="apps">
        <h2 id="apps">How to add it</h2>
        <dl>
          {APPS.map(({ name, steps }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{steps}</dd>
            </div>
          ))}
        </dl>
        <p>Any other app that can add a podcast by its address works too. Spotify can’t.</p>
      </section>
      <section aria-labelledby="renew">
        <h2 id="renew">A new address</h2>
        <p>
          Did someone else get it? Make a new one. The old address stops working right away, in your
          apps too.
        </p>
        <AddressForm intent="renew" label="Make a new address" />
      </section>
    </>
  );
}

const APPS = [
  {
    name: "Apple Podcasts",
    steps: "In Library, open the corner menu and choose Follow a Show by URL.",
  },
  { name: "Pocket Casts", steps: "Paste it into the search box on the Discover tab." },
  { name: "Overcast", steps: "Tap the plus sign, then Add URL." },
  { name: "AntennaPod", steps: "Tap Add Podcast, then Add Podcast by RSS address." },
] as const;

function AddressForm({ intent, label }: { intent: "create" | "renew"; label: string }) {
  return (
    <form method="post" action={PODCAST_PAGE_PATH}>
      <input type="hidden" name="intent" value={intent} />
      <Button type="submit" variant={intent === "create" ? "primary" : "secondary"}>
        {label}
      </Button>
    </form>
  );
}

/** The address, selected on focus, with a button that copies it if JavaScript runs. */
function CopiedField({ address }: { address: string }) {
  const hydrated = useHydrated();
  const [copied, setCopied] = useState<"yes" | "failed" | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      setCopied("yes");
    } catch {
      setCopied("failed");
    }
  };
  return (
    <div className="podcast-address">
      <TextField
        label="Address"
        value={address}
        readOnly
        spellCheck={false}
        autoComplete="off"
        onFocus={(event) => event.target.select()}
        className="podcast-address-field"
      />
      {/* reserves its place, so nothing moves */}
      <Button variant="secondary" onClick={copy} className={hydrated ? undefined : "invisible"}>
        Copy
      </Button>
      <p role="status">
        {copied === "yes" && "Copied."}
        {copied === "failed" && "Couldn’t copy it. Please select and copy it yourself."}
      </p>
    </div>
  );
}
