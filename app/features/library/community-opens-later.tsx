/** What the community's card says while there is none. */
export function CommunityOpensLater() {
  return (
    <p>
      A small, looked-after circle of readers who are on the same stretch as you. It is not open
      yet: it opens later, and the way in will be here.
    </p>
  );
}
