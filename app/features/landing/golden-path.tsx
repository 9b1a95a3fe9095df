/*
 * The golden path is one line in pieces, because the sections it wanders through have no fixed
 * height. Each piece is as wide as the frame, so an x is the same percentage of it everywhere; it
 * starts upright where the one before it ended, and never climbs, so that a clip that moves down
 * draws it like a pen. Where it passes behind the book, a page or the portrait, those cover it.
 * How the pieces are placed and drawn is in styles/golden-path.css.
 */

/** A line in a box of 100 by 100: the same in every window, or with its own for wider ones. */
type Line = string | { phone: string; tablet: string; desktop: string };

/** Where the line stands between two pieces, in percent of the frame's width. */
const LEFT = 3.1;
const RIGHT = 96.9;
/** Where the road on the cover, and the line on the portrait, run out of their picture's lower edge. */
const COVER = { phone: 44, tablet: 74, desktop: 80 };
const PORTRAIT = { phone: 30, tablet: 16, desktop: 16 };
/** The middle of the room beside a pull quote, right and left. */
const QUOTE = { phone: 94.5, tablet: 88, desktop: 80 };

type Place = number | { phone: number; tablet: number; desktop: number };

/** The first stroke: it leaves the title's last word and turns down at the right, or behind the book. */
export function PathStart() {
  const turn = "M0,79 C16,79 20,93 36,90 C52,87 52,42 72,38 C90,34.5 100,58 100,100";
  return (
    <Piece
      className="path-start"
      line={{
        phone: turn,
        tablet: turn,
        desktop: "M0,79 C15,79 23,94 37,92 C54,89 58,40 82,38",
      }}
      dot="M0,79h.01"
    />
  );
}

/** Down beside the hero's text and behind the book; from there it leaves with the road on the cover. */
export function HeroPath() {
  return (
    <Piece
      className="path-behind"
      line={{
        phone: `M${RIGHT},0 C${RIGHT},16 95.4,24 95.4,40 C95.4,60 78,58 66,68 C52,79 ${COVER.phone},86 ${COVER.phone},100`,
        tablet: `M${RIGHT},0 C${RIGHT},16 96,24 90,30 C76,44 ${COVER.tablet},60 ${COVER.tablet},100`,
        desktop: `M${COVER.desktop},40 V100`,
      }}
    />
  );
}

/** Along the left-hand margin; on a phone the text makes room for it. */
export function AboutPath() {
  return (
    <Piece
      className="path-behind"
      line={{
        phone: `M${LEFT},0 C${LEFT},10 7.5,12 7.5,24 C7.5,38 2.6,38 2.6,52 C2.6,66 7.5,66 7.5,80 C7.5,92 ${LEFT},92 ${LEFT},100`,
        tablet: `M${LEFT},0 C${LEFT},18 4.6,24 4.6,38 C4.6,56 1.8,58 1.8,74 C1.8,88 ${LEFT},88 ${LEFT},100`,
        desktop: `M${LEFT},0 C${LEFT},18 4.9,22 4.9,38 C4.9,58 1.3,58 1.3,76 C1.3,90 ${LEFT},88 ${LEFT},100`,
      }}
    />
  );
}

/** From the left-hand margin through the book's open page, and out on its other side. */
export function PreviewPath() {
  const throughPage = `M${LEFT},0 C${LEFT},16 6,20 20,30 C60,44 ${RIGHT},50 ${RIGHT},66 C${RIGHT},80 95.4,88 ${RIGHT},100`;
  return (
    <Piece
      className="path-behind"
      line={{
        phone: throughPage,
        tablet: throughPage,
        desktop: `M${LEFT},0 C${LEFT},18 3,24 12,34 C26,46 52,48 66,56 C82,65 92,72 92,84 C92,92 88,94 88,100`,
      }}
    />
  );
}

/** Where the preview's stretch ends and the way to the author begins. */
export function PathToAuthor() {
  return <PathCrossing from={{ phone: RIGHT, tablet: RIGHT, desktop: 88 }} to={PORTRAIT} />;
}

/** Behind the portrait; on a phone it leaves on the right, elsewhere with the line drawn in it. */
export function AuthorPath() {
  const { phone, tablet } = PORTRAIT;
  const behind = `M${tablet},0 C${tablet},30 20,50 18,70 C16.500,84 14,90 14,100`;
  return (
    <Piece
      className="path-behind"
      line={{
        phone: `M${phone},0 C${phone},20 ${RIGHT},20 ${RIGHT},42 C${RIGHT},64 95,80 ${RIGHT},100`,
        tablet: behind,
        desktop: behind,
      }}
    />
  );
}
