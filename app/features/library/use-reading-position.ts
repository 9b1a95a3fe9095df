import { useEffect } from "react";
import { postJson } from "~/ui";
import { blockId, PROGRESS_PATH } from "./library-paths";

/** How long scrolling has to pause before the position is stored, in milliseconds. */
const PAUSE_MS = 400;

/** Minimum interval between two requests, except for the one on leaving the page, in milliseconds. */
const INTERVAL_MS = 4_000;

/** After this many blocks from the beginning a text counts as being read again, although its reader stopped further down. */
const READING_AGAIN = 3;

/**
 * Stores which block of a text is at the top of the window: a pause after scrolling, and when the page is left or
 * hidden. Where the page was opened is not a position until it is scrolled, nor is a look at the beginning of a text
 * whose reader `stoppedAt` a block further down. Whatever is lost is sent with the next position; when the membership
 * has ended, nothing more is.
 */
export function useReadingPosition(slug: string, stoppedAt: number | null): void {
  useEffect(() => {
    const opened = blockAtTop();
    let kept = opened;
    let current = kept;
    const readFrom = stoppedAt === null ? 0 : Math.min(stoppedAt, (opened ?? 1) + READING_AGAIN);
    let isReading = opened === null || opened >= (stoppedAt ?? 0);
    let sentAt = 0;
    let hasEnded = false;
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
      isReading ||= block !== null && block >= readFrom;
      if (isReading) current = block;
    };
    const settle = () => {
      pause = undefined;
      look();
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
      // a pause that is still running means that something was scrolled
      if (pause !== undefined) look();
      sendAtLeaving();
    };
    const onVisibilityChange = () => {
      if (document.hidden) leave();
    };

    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      clearTimeout(pause);
      clearTimeout(turn);
      removeEventListener("scroll", onScroll);
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onVisibilityChange);
      // by now the window shows the next page
      sendAtLeaving();
    };
  }, [slug, stoppedAt]);
}

/**
 * The number of the first block of the text that is not entirely above the window or behind its bar; the last one
 * at the end of the page, and null without any.
 */
function blockAtTop(): number | null {
  const inset = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  for (let block = 1; ; block += 1) {
    const element = document.getElementById(blockId(block));
    if (!element) return block > 1 ? block - 1 : null;
    // a pixel more, since positions are fractions of one
    if (element.getBoundingClientRect().bottom > inset + 1) return block;
  }
}
