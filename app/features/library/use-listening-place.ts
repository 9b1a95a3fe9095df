import { type RefObject, useEffect } from "react";
import { postJson } from "~/ui/post-json";
import { LISTENING_PATH } from "./listening-paths";

/** Minimum interval between two requests while a sound plays, in milliseconds. */
const INTERVAL_MS = 15_000;

const FORBIDDEN = 403;

/**
 * Keeps where a text's sound was stopped: every few seconds while it plays, when it is paused, moved or over, and
 * when the page is left or hidden. What is lost is sent with the next place; when the membership has ended, nothing
 * more is.
 */
export function useListeningPlace(slug: string, player: RefObject<HTMLAudioElement>): void {
  useEffect(() => {
    const audio = player.current;
    if (!audio) return;
    let sentAt = Date.now();
    let hasChanged = false;
    let hasEnded = false;

    const place = () => ({ slug, second: audio.ended ? 0 : audio.currentTime });
    const send = async () => {
      if (!hasChanged || hasEnded) return;
      sentAt = Date.now();
      hasChanged = false;
      const { ok, status } = await postJson(LISTENING_PATH, place());
      hasEnded = status === FORBIDDEN;
      if (!ok) hasChanged = true;
    };
    const onTime = () => {
      if (audio.paused) return;
      hasChanged = true;
      if (Date.now() - sentAt >= INTERVAL_MS) void send();
    };
    const onStop = () => {
      // setting the first place moves the sound too, before anybody has played it
      if (audio.played.length > 0) hasChanged = true;
      void send();
    };
    const leave = () => {
      if (!hasChanged || hasEnded) return;
      const body = new Blob([JSON.stringify(place())], { type: "application/json" });
      hasChanged = !navigator.sendBeacon(LISTENING_PATH, body);
    };
    const onVisibilityChange = () => {
      if (document.hidden) leave();
    };

    audio.addEventListener("timeupdate", onTime);
    const stops = ["pause", "seeked", "ended"];
    for (const stop of stops) audio.addEventListener(stop, onStop);
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      audio.removeEventListener("timeupdate", onTime);
      for (const stop of stops) audio.removeEventListener(stop, onStop);
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onVisibilityChange);
      leave();
    };
  }, [slug, player]);
}
