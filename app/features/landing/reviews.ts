/** A reader's review (specification, 3: static review item). `rating` is out of five. */
export type Review = { name: string; role: string; rating: number; text: string };

export const reviews: readonly Review[] = [
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
];
