import { type MutableRefObject, useEffect, useRef, useState } from "react";
import { postJson } from "~/ui";
import { blockId, PROGRESS_PATH } from "./library-paths";

/** Scrolling must pause this long before the position is stored, in milliseconds. */
const PAUSE_MS = 400;

/** Minimum interval between two requests, except when the page is left, in milliseconds. */
const INTERVAL_MS = 4_000;

/** A text counts as being read again this many blocks after where it was opened, despite a later stored position. */
const READING_AGAIN = 3;

/** Scrolling counts as the reader's from this distance, in CSS pixels: fonts and pictures move the page a little. */
const MOVED = 40;

/** A text that fits in the window counts as read after this time, in milliseconds. */
const SHORT_TEXT_MS = 30_000;

type Options = {
  stoppedAt: number | null;
  /** Whether a link has led to the beginning. */
  startsOver: boolean;
  /** The reader has marked the text as unread, until its beginning is at the top again. */
  isDeclined: MutableRefObject<boolean>;
  /** Called whenever the end is reached. */
  onEnd: () => void;
};

/**
 * Stores which block of a text is at the window's top: when scrolling pauses, and when the page is left or hidden. The
 * block at which the page opened is stored only after scrolling. A look at the beginning is not stored if reading
 * stopped further down, at `stoppedAt`. A lost position is superseded by the next one. Sends nothing after the
 * membership has ended.
 *
 * The end is reached when scrolling pauses with the text's end in view, or when a text that fits in the window has been
 * open for half a minute. Returns the block at the top; null before hydration.
 */
export function useReadingPosition(
  slug: string,
  { stoppedAt, startsOver, isDeclined, onEnd }: Options,
): number | null {
  const [shown, setShown] = useState<number | null>(null);
  const reachEnd = useRef(onEnd);
  reachEnd.current = onEnd;
  useEffect(() => {
    const opened = startsOver ? 1 : blockAtTop();
    let isGoingBack = startsOver && blockAtTop() !== 1;
    let kept = opened;
    let current = kept;
    const readFrom = stoppedAt === null ? 0 : Math.min(stoppedAt, (opened ?? 1) + READING_AGAIN);
    let isReading = opened === null || opened >= (stoppedAt ?? 0);
    let sentAt = 0;
    let hasEnded = false;
    const openedAt = window.scrollY;
    const isShort = opened === 1 && isAtEnd();
    let short: ReturnType<typeof setTimeout> | undefined;
    setShown(opened);
    let pause: ReturnType<typeof setTimeout> | undefined;
    let turn: ReturnType<typeof setTimeout> | undefined;

    const send = async () => {
      turn = undefined;
      if (hasEnded || current === null || current === kept) return;
      sentAt = Date.now();
      const block = current;
      const { ok, status } = await postJson(PROGRESS_PATH, { slug, action: "position", block });
      if (ok) kept = block;
      hasEnded = status === 403;
    };
    const look = () => {
      const block = blockAtTop();
      // the window may still be scrolling there
      if (isGoingBack && block !== 1) return;
      isGoingBack = false;
      isReading ||= block !== null && block >= readFrom;
      if (block === 1 && !isAtEnd()) isDeclined.current = false;
      if (isDeclined.current) return;
      if (isReading) current = block;
    };
    const settle = () => {
      pause = undefined;
      look();
      setShown(blockAtTop());
      if (Math.abs(window.scrollY - openedAt) > MOVED && isAtEnd()) reachEnd.current();
      turn ??= setTimeout(send, Math.max(0, sentAt + INTERVAL_MS - Date.now()));
    };
    const onScroll = () => {
      clearTimeout(pause);
      pause = setTimeout(settle, PAUSE_MS);
    };
    const sendAtLeaving = () => {
      if (hasEnded || current === null || current === kept) return;
      const body = JSON.stringify({ slug, action: "position", block: current });
      const isQueued = navigator.sendBeacon(
        PROGRESS_PATH,
        new Blob([body], { type: "application/json" }),
      );
      if (isQueued) kept = current;
    };
    const leave = () => {
      // a running pause means there was scrolling
      if (pause !== undefined) look();
      sendAtLeaving();
    };
    const waitForShortText = () => {
      clearTimeout(short);
      if (isShort && !document.hidden) short = setTimeout(() => reachEnd.current(), SHORT_TEXT_MS);
    };
    const onVisibilityChange = () => {
      if (document.hidden) leave();
      waitForShortText();
    };
    waitForShortText();

    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      clearTimeout(pause);
      clearTimeout(turn);
      clearTimeout(short);
      removeEventListener("scroll", onScroll);
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onVisibilityChange);
      // the window shows the next page by now
      sendAtLeaving();
    };
  }, [slug, stoppedAt, startsOver, isDeclined]);
  return shown;
}

/** Whether the title of the page's text is in view. */
export function isAtBeginning(): boolean {
  const title = document.getElementById("document-title");
  return title !== null && title.getBoundingClientRect().bottom > 0;
}

/** Whether the end of the page's text is in view, or above the window. */
export function isAtEnd(): boolean {
  const text = document.getElementById("text");
  return text !== null && text.getBoundingClientRect().bottom <= window.innerHeight + 1;
}

/**
 * Returns the number of the first block that is not entirely above the window or behind its bar. That is the last
 * block at the end of the page, and null without blocks.
 */
export function blockAtTop(): number | null {
  const inset = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  for (let block = 1; ; block += 1) {
    const element = document.getElementById(blockId(block));
    if (!element) return block > 1 ? block - 1 : null;
    // one more pixel, since positions are fractional
    if (element.getBoundingClientRect().bottom > inset + 1) return block;
  }
}
