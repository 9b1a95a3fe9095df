import { useRootData } from "~/features/accounts/root-data";
import { UpgradeButton } from "~/features/billing/upgrade-button";
import { bookWords, useSite } from "~/features/site/page-site";
import type { Site } from "~/features/site/site";
import { CheckIcon, PrintedAddress } from "~/ui";
import { PathCrossing } from "./golden-path";
import { ReadingRoomPicture } from "./reading-room-picture";

/** What members get, whatever the author says about it. */
const INCLUDED = [
  "Every chapter and extra in your browser, with your place kept",
  "Notes, highlights and search",
  "The e-book, for e-readers",
  "The audio as a podcast",
];

export type PremiumSectionProps = Site["premium"] & { communityIsOpen: boolean };

/**
 * The premium subscription: the dark band where the golden path ends. Like the newsletter's, it includes the space
 * above its heading, so a link scrolls its edge up to the header.
 */
export function PremiumSection({ heading, text, benefits, communityIsOpen }: PremiumSectionProps) {
  const words = bookWords(useSite());
  const included = communityIsOpen ? [...INCLUDED, "The members’ community"] : INCLUDED;
  return (
    <section
      id="purchase"
      aria-labelledby="purchase-title"
      className="on-night premium-band scroll-mt-[-1.5rem] pb-12 lg:pb-32"
    >
      <PathCrossing from="right" to="sun" />
      <div className="frame">
        <div className="premium-card relative grid gap-x-10 gap-y-8 rounded-sm border border-line-night bg-night-soft px-[clamp(6*var(--spacing),6vw,5rem)] py-[clamp(2rem,6vw,5rem)] md:grid-cols-2 lg:gap-x-16 lg:gap-y-16">
          <RisingSun />
          <div>
            <h2 id="purchase-title" className="section-title" {...words}>
              {heading}
            </h2>
            {text && (
              <p className="mt-4 max-w-[44ch] text-mist md:mt-6 md:text-lg" {...words}>
                {text}
              </p>
            )}
            <Price />
            <div className="mt-6 md:mt-8">
              <UpgradeButton />
            </div>
            <PrintedAddress path="/#purchase" />
          </div>
          <div className="grid content-center gap-6">
            <ReadingRoomPicture />
            <ul className="grid gap-2 max-md:text-sm">
              {included.map((what) => (
                <li key={what} className="flex gap-3">
                  <CheckIcon className="mt-1 size-5 flex-none text-gold" />
                  {what}
                </li>
              ))}
            </ul>
          </div>
          {benefits.length > 0 && (
            <ul className="grid gap-4 md:grid-cols-3 md:col-span-2 md:gap-8" {...words}>
              {benefits.map(({ title, text }) => (
                <li key={title} className="border-line-night border-t pt-6 max-md:pt-4">
                  <h3 className="text-xl">{title}</h3>
                  <p className="mt-2 text-mist max-md:text-sm">{text}</p>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </section>
  );
}

/** Longer amounts, such as "$1,234.00", do not fit a narrow window at full size. */
const LONG_AMOUNT = 6;

/** The price that is charged; while it is unknown, a line that says that the checkout shows it. */
function Price() {
  const { premiumPrice, priceNote } = useRootData();
  if (!premiumPrice) {
    return (
      <p className="mt-10 text-lg text-mist">
        You’ll see the price before you pay. You can cancel anytime.
      </p>
    );
  }
  const { amount, period } = premiumPrice;
  return (
    <p className="mt-6 flex flex-wrap md:mt-10 items-baseline gap-x-4">
      <span
        className={`font-display text-gold leading-none tracking-tight ${
          amount.length > LONG_AMOUNT
            ? "text-[calc(13*var(--spacing))]"
            : "text-[calc(16*var(--spacing))] md:text-[calc(20*var(--spacing))]"
        }`}
      >
        {amount}
      </span>{" "}
      <span className="text-lg text-mist">{`${period}, cancel anytime`}</span>
      {priceNote && <span className="basis-full text-mist">{priceNote}</span>}
    </p>
  );
}

/** The end of the golden path: half a sun on the card's upper edge. */
function RisingSun() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 96 48"
      className="[translate:-50%_0] absolute bottom-full left-1/2 w-[6rem]"
    >
      <path d="M26 48a22 22 0 0 1 44 0z" className="fill-gold" />
      <path
        d="M15 37l-9.500-3M24 24l-7-7.500M35 15.500l-4-9.500M61 15.500l4-9.500M72 24l7-7.500M81 37l9.500-3"
        className="fill-none stroke-2 stroke-gold"
        strokeLinecap="round"
      />
    </svg>
  );
}
