import { BOOK_TITLE } from "~/book";

/** What the book is about, in three sentences. */
export const aboutTheBook = `Most of us are not short of advice. We are short of a way to live it on a tired Tuesday. ${BOOK_TITLE} begins there: with the day you actually have, and the next step you can actually take.`;

/** The book's features, on three cards. */
export const features = [
  { title: "Proven Methods", mark: "compass" },
  { title: "Real Stories", mark: "book" },
  { title: "Actionable Steps", mark: "steps" },
] as const;

/** Texts of the three cards. */
export const featureTexts = [
  "Twelve practices drawn from behavioral research and from fourteen years beside people in the middle of change. Each is short, each is tested, and none asks you to become someone else.",
  "A baker who learned to stop at noon. A nurse who began again at fifty-three. Their detours are told in full, because the detours are where the method shows.",
  "Every chapter ends with one step small enough for today, and a page to write down what came of it. Twelve chapters, twelve steps, one path.",
] as const;

/** The opening of chapter 1, paragraph by paragraph. */
export const chapterOne = {
  title: "The Hour Before the Day",
  paragraphs: [
    "The summer I turned thirty-four I lost my way in a forest I had walked since I was a child. There was no storm and no drama. I had simply been thinking about other things, and when I looked up the marked trail was gone, and the light was going with it.",
    "What I did next I am not proud of. I walked faster. I have since watched hundreds of people do the same, in offices and in marriages and down the long corridors of a career: when we do not know where we are, we hurry. Hurrying feels so much like progress that it can be years before we notice the same trees going by a second time.",
    "It was a forester who found me, at the hour when the sun comes in low and sideways. He did not tell me where the road was. He asked me to stand still and look down. “There,” he said. Across the moss, no wider than a hand, the light had laid a line of gold where the feet before mine had pressed the ground a little flatter than the rest.",
    "“It’s been here the whole time,” he said. “You only see it when you stop, and you only ever see one stretch of it. That’s enough. Nobody ever needed more than the next stretch.”",
    "I have built my work, and in the end my life, on those few words. This book is about the next stretch. It will not ask you for a vision of yourself in ten years. It will ask what you can see from where you stand, before the day begins and everyone else’s plans come in with the mail; and it will ask you, quite gently, to take one step and look again.",
  ],
} as const;

/** Chapters 2 to 4, in one or two sentences each. */
export const nextChapters = [
  {
    number: 2,
    title: "The Weight You Carry",
    text: "Every walker packs too much. An inventory of borrowed ambitions, and how to set them down without apology.",
  },
  {
    number: 3,
    title: "Small Hinges",
    text: "Why the habits that last are the ones too small to be proud of, and how to hang a heavy door on one of them.",
  },
  {
    number: 4,
    title: "Company on the Road",
    text: "Nobody keeps to a path alone. How to choose the three people who will tell you when you have wandered off it.",
  },
] as const;

/** The author's life: a memorable sentence, then the rest. */
export const biography = {
  lead: "Before she was a counselor she was a hill guide, and she says she has only ever had one job: walking beside people while they find the way themselves.",
  paragraphs: [
    `For fourteen years she kept a small practice in Vermont, where teachers, surgeons, farmers and founders came to think out loud. Whatever helped, she wrote down; the notebooks, forty-one of them, became ${BOOK_TITLE}.`,
    "She lives at the edge of a wood with her family and an elderly dog, gets up early, and answers letters by hand.",
  ],
} as const;

/** Ends the text about the community while it is not open yet. */
export const COMMUNITY_LATER = " It opens later.";

/** What the premium subscription includes. */
export const premiumBenefits = [
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
] as const;
