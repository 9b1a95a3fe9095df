import type { Site } from "./site";

/** Ends the sample's text about the community while it is not open yet. */
export const COMMUNITY_LATER = " It opens later.";

/** The sample edition's site (specification, 2, 3 and 9). */
export const SAMPLE_SITE: Site = {
  isSample: true,
  title: "The Golden Path",
  subtitle:
    "A calm and practical guide to finding what matters, and walking toward it one honest step at a time.",
  slogan: "A book for finding your way",
  author: "Maren Ashdown",
  publisher: "Golden Path Press",
  language: "en",
  dir: "ltr",
  cover: null,
  colors: { accent: null, dark: null },
  price: { amount: "24.99", currency: "USD" },
  shops: [],
  rating: { value: 4.9, source: null },
  reviewsCount: 2847,
  readers: "10,000+ readers transformed",
  badge: "Bestseller",
  about: {
    heading: "You already know the direction",
    text: "Most of us are not short of advice. We are short of a way to live it on a tired Tuesday. The Golden Path begins there: with the day you actually have, and the next step you can actually take.",
  },
  features: [
    {
      title: "Proven Methods",
      text: "Twelve practices drawn from behavioral research and from fourteen years beside people in the middle of change. Each is short, each is tested, and none asks you to become someone else.",
    },
    {
      title: "Real Stories",
      text: "A baker who learned to stop at noon. A nurse who began again at fifty-three. Their detours are told in full, because the detours are where the method shows.",
    },
    {
      title: "Actionable Steps",
      text: "Every chapter ends with one step small enough for today, and a page to write down what came of it. Twelve chapters, twelve steps, one path.",
    },
  ],
  previewChapters: [
    {
      title: "The Weight You Carry",
      text: "Every walker packs too much. An inventory of borrowed ambitions, and how to set them down without apology.",
    },
    {
      title: "Small Hinges",
      text: "Why the habits that last are the ones too small to be proud of, and how to hang a heavy door on one of them.",
    },
    {
      title: "Company on the Road",
      text: "Nobody keeps to a path alone. How to choose the three people who will tell you when you have wandered off it.",
    },
  ],
  biography: {
    lead: "Before she was a counselor she was a hill guide, and she says she has only ever had one job: walking beside people while they find the way themselves.",
    paragraphs: [
      "For fourteen years she kept a small practice in Vermont, where teachers, surgeons, farmers and founders came to think out loud. Whatever helped, she wrote down; the notebooks, forty-one of them, became The Golden Path.",
      "She lives at the edge of a wood with her family and an elderly dog, gets up early, and answers letters by hand.",
    ],
  },
  reviewsHeading: "Read, lent, and read again",
  reviews: [
    {
      name: "Hannah Okafor",
      role: "High school teacher",
      rating: 5,
      text: "I own a whole shelf of books about changing my life. This is the first one that began with Tuesday. I took the first step on a kitchen stool, still in my coat, and I have not been the same kind of late since.",
    },
    {
      name: "Daniel Reyes",
      role: "Emergency nurse",
      rating: 5,
      text: "Quiet, exact and kind. It asks less of me in a day than my phone does, and it gave me back my mornings.",
    },
    {
      name: "Ruth Lindqvist",
      role: "Retired engineer",
      rating: 4,
      text: "I bought it for my daughter and kept it. At sixty-eight I thought the interesting turns were behind me. One star off, because it made me miss my stop.",
    },
  ],
  faq: [],
  newsletter: {
    heading: "Stay Connected",
    promise:
      "One letter on the first Sunday of the month: a practice, a story, and a question worth taking for a walk.",
  },
  premium: {
    heading: "Walk further with Premium",
    text: "The book shows you the path. Premium keeps you company on it, for as long as the company helps.",
    benefits: [
      {
        title: "Full Chapter Access",
        text: "All twelve chapters in your browser, on every device, from the first day.",
      },
      {
        title: "Exclusive Content",
        text: "Guided audio walks, pages from the author’s notebooks, and a new practice each month.",
      },
      {
        title: "Private Community",
        text: `A small, looked-after circle of readers on the same stretch as you.${COMMUNITY_LATER}`,
      },
    ],
  },
  contact: {
    publisher: "Golden Path Press",
    street: "14 Lantern Lane",
    city: "Burlington, Vermont 05401",
    email: "hello@goldenpath.example",
    phone: "+1 (802) 555-0142",
  },
  photos: { hero: null, author: null },
  share: null,
  ebook: { checkedBy: null },
  social: [],
  pages: [],
};

/** What an author would not want to show of the sample, in the words of the author's messages. */
const PARTS: [name: string, isSample: (site: Site) => boolean][] = [
  ["title", ({ title }) => title === SAMPLE_SITE.title],
  ["author", ({ author }) => author === SAMPLE_SITE.author],
  ["price and ratings", ({ isSample }) => isSample],
  ["cover", ({ isSample }) => isSample],
  ["biography", ({ biography }) => biography === SAMPLE_SITE.biography],
  ["reviews", ({ reviews }) => reviews === SAMPLE_SITE.reviews],
  ["address", ({ contact }) => contact === SAMPLE_SITE.contact],
];

/** Returns which parts of a site are still the sample's. */
export const sampleParts = (site: Site) =>
  PARTS.filter(([, isSample]) => isSample(site)).map(([name]) => name);

/** The opening of its chapter 1, shown while the database does not answer. */
export const SAMPLE_OPENING = {
  label: "Chapter 1",
  title: "The Hour Before the Day",
  paragraphs: [
    "The summer I turned thirty-four I lost my way in a forest I had walked since I was a child. There was no storm and no drama. I had simply been thinking about other things, and when I looked up the marked trail was gone, and the light was going with it.",
    "What I did next I am not proud of. I walked faster. I have since watched hundreds of people do the same, in offices and in marriages and down the long corridors of a career: when we do not know where we are, we hurry. Hurrying feels so much like progress that it can be years before we notice the same trees going by a second time.",
    "It was a forester who found me, at the hour when the sun comes in low and sideways. He did not tell me where the road was. He asked me to stand still and look down. “There,” he said. Across the moss, no wider than a hand, the light had laid a line of gold where the feet before mine had pressed the ground a little flatter than the rest.",
    "“It’s been here the whole time,” he said. “You only see it when you stop, and you only ever see one stretch of it. That’s enough. Nobody ever needed more than the next stretch.”",
    "I have built my work, and in the end my life, on those few words. This book is about the next stretch. It will not ask you for a vision of yourself in ten years. It will ask what you can see from where you stand, before the day begins and everyone else’s plans come in with the mail; and it will ask you, quite gently, to take one step and look again.",
  ],
};
