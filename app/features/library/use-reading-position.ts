import { useEffect } from "react";
import { postJson } from "~/ui";
import { blockId, PROGRESS_PATH } from "./library-paths";

/** Scrolling must pause this long before the position is stored, in milliseconds. */
const PAUSE_MS = 400;

/** Minimum interval between two requests, except when the page is left, in milliseconds. */
const INTERVAL_MS = 4_000;

/** A text counts as being read again this many blocks after where it was opened, despite a later stored position. */
const READING_AGAIN = 3;

/**
 * Stores which block of a text is at the window's top: when scrolling pauses, and when the page is left or hidden. The
 * block at which the page opened is stored only after scrolling. A look at the beginning is not stored if reading
 * stopped further down, at `stoppedAt`. A lost position is superseded by the next one. Sends nothing after the
 * membership has ended.
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
      // a running pause means there was scrolling
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
      // the window shows the next page by now
      sendAtLeaving();
    };
  }, [slug, stoppedAt]);
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
