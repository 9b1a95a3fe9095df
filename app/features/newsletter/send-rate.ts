/** Long enough to smooth uneven sending, short enough to follow changes over minutes. In milliseconds. */
const WINDOW_MS = 30_000;

/** Measures how fast a count grows, over about the last half minute. */
export class RateMeter {
  #samples: { at: number; count: number }[] = [];

  /** Adds the count at a time in milliseconds. */
  add(count: number, at: number): void {
    this.#samples.push({ at, count });
    // the window begins at the newest sample older than it
    while (this.#samples[1] && this.#samples[1].at <= at - WINDOW_MS) this.#samples.shift();
  }

  /** Returns the rate per second; null before there are two samples. */
  perSecond(): number | null {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at === first.at) return null;
    return ((last.count - first.count) * 1_000) / (last.at - first.at);
  }
}

/** Formats a duration, coarser the longer it is: `40 s`, `12 min`, `3 h 20 min`, `2 d 5 h`. */
export function describeDuration(seconds: number): string {
  if (seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const wholeHours = Math.round(minutes / 60);
  const days = Math.floor(wholeHours / 24);
  return wholeHours % 24 === 0 ? `${days} d` : `${days} d ${wholeHours % 24} h`;
}
