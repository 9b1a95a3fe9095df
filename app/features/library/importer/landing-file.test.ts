import { describe, expect, it } from "vitest";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import type { FindImage } from "~/features/site/site-file";
import { readLandingFile } from "./landing-file";

const IMAGES: Record<string, [width: number, mediaType: string]> = {
  "media/wood.jpg": [1200, "image/jpeg"],
  "media/card.webp": [1200, "image/webp"],
  "media/small.png": [200, "image/png"],
};

const findImage: FindImage = (path) => {
  const [width, mediaType] = IMAGES[path] ?? [];
  if (width && mediaType) return { name: "a.jpg", mediaType, width, height: 630 };
  return { reason: path === "media/big.png" ? "is larger than 2 MB" : "there is no such image" };
};

describe("landing.yml", () => {
  it("replaces only what it names", () => {
    const text =
      "about: It begins with Tuesday.\nphotos:\n  hero:\n    file: media/wood.jpg\n    alt: A wood\n";
    const hero = {
      name: "a.jpg",
      mediaType: "image/jpeg",
      width: 1200,
      height: 630,
      alt: "A wood",
    };
    expect(readLandingFile(text, findImage, [])).toEqual({
      site: {
        ...SAMPLE_SITE,
        about: { heading: SAMPLE_SITE.about?.heading, text: "It begins with Tuesday." },
        photos: { hero, author: null },
      },
    });
  });

  it("may be empty", () => {
    expect(readLandingFile("# later\n", findImage, [])).toEqual({ site: SAMPLE_SITE });
  });

  it.each([
    ["title: Mine\n", 1, "title: is not known here"],
    ["about: a\nfeatures: [a, b]\n", 2, "features: wanted a list of 3"],
    [
      "reviews:\n  - {name: A, role: B, rating: 5, text: C}\n  - {name: A, role: B, rating: 9, text: C}\n  - {name: A, role: B, text: C}\n",
      3,
      "reviews: rating: wanted a whole number from 1 to 5",
    ],
    [
      "reviews:\n  - {name: A, role: B, rating: 5, text: C}\n  - {name: A, role: B, rating: 5, text: C}\n  - name: A\n    role: B\n    text: C\n",
      4,
      "reviews: rating: is missing",
    ],
    [
      "photos:\n  author:\n    file: media/none.png\n    alt: A\n",
      3,
      "media/none.png: there is no such image",
    ],
    [
      "photos:\n  hero:\n    file: media/big.png\n    alt: A\n",
      3,
      "media/big.png: is larger than 2 MB",
    ],
    [
      "share:\n  file: media/card.webp\n  alt: A\n",
      2,
      "media/card.webp: wanted a PNG or JPEG at least 600 pixels wide, such as 1200 by 630",
    ],
    ["about: &a x\nfeatures: [*a, *a, *a]\n", 2, "*a has no meaning here"],
    [`about: ${"x".repeat(401)}\n`, 1, "about: has more than 400 characters"],
    ["x".repeat(65_537), 1, "has more than 65536 characters"],
  ])("reports a mistake with its line: %j", (text, line, problem) => {
    const read = readLandingFile(text, findImage, []);
    expect("problems" in read && read.problems).toContainEqual({ line, problem });
  });
});
