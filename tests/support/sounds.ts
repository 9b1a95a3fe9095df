const FRAME_BYTES = 417;
const FRAMES_PER_SECOND = 44_100 / 1_152;

/** An MP3 of this many seconds of silence, 128 kbit/s at 44.1 kHz. */
export function silentMp3(seconds: number): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt32BE(0xff_fb_90_64);
  return Buffer.concat(new Array(Math.ceil(seconds * FRAMES_PER_SECOND)).fill(frame));
}
