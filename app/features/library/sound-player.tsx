import { Link } from "@remix-run/react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { type PageSite, siteFile, useSite } from "~/features/site/page-site";
import { Button, postJson } from "~/ui";
import type { Sound } from "./edition";
import { keepChoice, keptChoice } from "./kept-choice";
import { MEDIA_PATH } from "./library-paths";
import { PODCAST_PAGE_PATH } from "./podcast-paths";

/** How far the buttons skip, in seconds. */
const SKIP_S = 15;

const SPEEDS: readonly number[] = [0.75, 1, 1.25, 1.5, 1.75, 2];

/** The name of the kept choice of a speed. */
const SPEED_CHOICE = "listening-speed";

type SoundPlayerProps = {
  /** Slug of the text. */
  slug: string;
  title: string;
  sound: Sound;
  /** Start position in seconds; null for the beginning. */
  second: number | null;
};

/**
 * The browser's player for a text's sound, with skips, a speed that the browser keeps, and a download link. It starts
 * where the member stopped, on any device.
 * Render it with the slug as its key.
 */
export function SoundPlayer({ slug, title, sound, second }: SoundPlayerProps) {
  const player = useRef<HTMLAudioElement>(null);
  // another address would stop playback when the page's data revalidates
  const [beginning] = useState(second);
  useListeningPosition(slug, player);
  const [speed, setSpeed] = useState(1);
  useSystemControls(player);
  useEffect(() => {
    const audio = player.current;
    const kept = Number(keptChoice(SPEED_CHOICE));
    if (!audio || !SPEEDS.includes(kept)) return;
    // loading sets the speed to the default
    audio.defaultPlaybackRate = kept;
    audio.playbackRate = kept;
  }, []);
  const skip = (seconds: number) => {
    if (player.current) player.current.currentTime += seconds;
  };
  const source = MEDIA_PATH + sound.name;
  const site = useSite();
  return (
    <section className="sound-player" aria-label={`Listen to ${title}`}>
      {/* biome-ignore lint/a11y/useMediaCaption: the text beside it says what there is to hear */}
      <audio
        ref={player}
        controls
        preload="metadata"
        src={beginning === null ? source : `${source}#t=${beginning}`}
        aria-label={title}
        onPlay={() => announce(title, site)}
        onRateChange={({ currentTarget }) => {
          setSpeed(currentTarget.playbackRate);
          keepChoice(SPEED_CHOICE, String(currentTarget.playbackRate));
        }}
      />
      <div className="sound-controls">
        <Button variant="quiet" onClick={() => skip(-SKIP_S)}>
          Back {SKIP_S} s
        </Button>
        <Button variant="quiet" onClick={() => skip(SKIP_S)}>
          Forward {SKIP_S} s
        </Button>
        <label className="flex items-center gap-2">
          Speed
          <select
            value={speed}
            onChange={({ target }) => {
              const audio = player.current;
              if (!audio) return;
              audio.defaultPlaybackRate = Number(target.value);
              audio.playbackRate = Number(target.value);
            }}
            className="field-input w-auto"
          >
            {[...new Set([...SPEEDS, speed])].map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
      </div>
      <p className="mt-1 flex flex-wrap items-center gap-x-6 text-ink-soft text-sm">
        {sound.duration !== null && <span>{lengthOf(sound.duration)}</span>}
        <a href={source} download={`${slug}.${sound.name.split(".").at(-1)}`} className="text-link">
          Download audio ({megabytes(sound.bytes)})
        </a>
        <Link to={PODCAST_PAGE_PATH} className="text-link">
          Listen in your podcast app
        </Link>
      </p>
    </section>
  );
}

/** Sets the title that the system's own controls show, such as on a locked phone. */
function announce(title: string, site: PageSite): void {
  if (!("mediaSession" in navigator)) return;
  navigator.mediaSession.metadata = new MediaMetadata({
    title,
    artist: site.author ?? "",
    album: site.title,
    artwork: [
      { src: siteFile(site, "icon-192.png"), sizes: "192x192", type: "image/png" },
      { src: siteFile(site, "icon-512.png"), sizes: "512x512", type: "image/png" },
    ],
  });
}

/**
 * Lets the system's own controls skip and seek, and tells them the position. They play and pause by themselves.
 */
function useSystemControls(player: RefObject<HTMLAudioElement>): void {
  useEffect(() => {
    const audio = player.current;
    if (!audio || !("mediaSession" in navigator)) return;
    const { mediaSession } = navigator;
    const actions: [MediaSessionAction, MediaSessionActionHandler][] = [
      ["seekbackward", ({ seekOffset }) => seek(audio.currentTime - (seekOffset ?? SKIP_S))],
      ["seekforward", ({ seekOffset }) => seek(audio.currentTime + (seekOffset ?? SKIP_S))],
      ["seekto", ({ seekTime }) => seek(seekTime ?? audio.currentTime)],
    ];
    const seek = (second: number) => {
      audio.currentTime = Math.max(0, second);
    };
    const tellPosition = () => {
      const { duration, playbackRate, currentTime } = audio;
      if (!Number.isFinite(duration) || playbackRate === 0) return;
      mediaSession.setPositionState({
        duration,
        playbackRate,
        position: Math.min(currentTime, duration),
      });
    };
    const changes = ["loadedmetadata", "play", "seeked", "ratechange"];
    for (const [action, handler] of actions) mediaSession.setActionHandler(action, handler);
    for (const change of changes) audio.addEventListener(change, tellPosition);
    return () => {
      for (const [action] of actions) mediaSession.setActionHandler(action, null);
      for (const change of changes) audio.removeEventListener(change, tellPosition);
    };
  }, [player]);
}

function lengthOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.floor(seconds % 60);
  return [minutes > 0 && `${minutes} min`, rest > 0 && `${rest} s`].filter(Boolean).join(" ");
}

const megabytes = (bytes: number) => `${Math.max(0.1, bytes / 1_000_000).toFixed(1)} MB`;

/** Minimum interval between two requests during playback, in milliseconds. */
const INTERVAL_MS = 15_000;

const FORBIDDEN = 403;

/**
 * Stores the position in a text's sound: every few seconds during playback, on pause, seek and end, and on leaving or
 * hiding the page. A lost position is superseded by the next one. Sends nothing after the membership has ended.
 */
function useListeningPosition(slug: string, player: RefObject<HTMLAudioElement>): void {
  useEffect(() => {
    const audio = player.current;
    if (!audio) return;
    let sentAt = Date.now();
    let hasChanged = false;
    let hasEnded = false;

    const position = () => ({ slug, second: audio.ended ? 0 : audio.currentTime });
    const send = async () => {
      if (!hasChanged || hasEnded) return;
      sentAt = Date.now();
      hasChanged = false;
      const { ok, status } = await postJson(LISTENING_PATH, position());
      hasEnded = status === FORBIDDEN;
      if (!ok) hasChanged = true;
    };
    const onTime = () => {
      if (audio.paused) return;
      hasChanged = true;
      if (Date.now() - sentAt >= INTERVAL_MS) void send();
    };
    const onStop = () => {
      // setting the start position fires events too, before any playback
      if (audio.played.length > 0) hasChanged = true;
      void send();
    };
    const leave = () => {
      if (!hasChanged || hasEnded) return;
      const body = new Blob([JSON.stringify(position())], { type: "application/json" });
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

/** Path that stores the position in a sound, by POST. */
const LISTENING_PATH = "/premium/listening";
