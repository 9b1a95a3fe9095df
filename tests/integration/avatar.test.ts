import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { action as changePicture } from "~/routes/account_.picture/route";
import { loader as avatarImage } from "~/routes/avatars.$name/route";
import { getDatabase } from "~db/client";
import { avatars, users } from "~db/schema";
import { newReader, type Reader } from "../support/payments";
import { plain } from "../support/pictures";
import { call, flashOf, ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";

const MEGABYTE = 1024 * 1024;
const SAVED = { title: "✅ Your picture is saved.", variant: "default" };
const failed = (description: string) => ({
  title: "Uh oh! Something went wrong.",
  description,
  variant: "destructive",
});

testSite({ variables: { RATE_LIMIT_FACTOR: "1" } });

type Cookie = Pick<Reader, "cookie">;

function formWith(file: Uint8Array | null, name = "me.png"): FormData {
  const form = new FormData();
  form.append("intent", "upload");
  if (file) form.append("picture", new Blob([new Uint8Array(file)]), name);
  return form;
}

function upload({ cookie }: Cookie, body: BodyInit, headers: Record<string, string> = {}) {
  const request = new Request(`${ORIGIN}/account/picture`, {
    method: "POST",
    headers: { Cookie: cookie, ...headers },
    body,
    duplex: "half",
  } as RequestInit);
  return call(changePicture, request);
}

const remove = ({ cookie }: Cookie) =>
  post(changePicture, { form: { intent: "remove" }, cookie, path: "/account/picture" });

const serve = (address: string | null, headers: Record<string, string> = {}, method = "GET") =>
  call(avatarImage, new Request(`${ORIGIN}${address}`, { headers, method }), {
    name: String(address).replace("/avatars/", ""),
  });

async function stored(userId: string) {
  const { db } = getDatabase();
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  const rows = await db.select().from(avatars).where(eq(avatars.userId, userId));
  return { avatarUrl: user?.avatarUrl ?? null, rows };
}

/** A picture in one of forty colors that differ enough to yield different files. */
const ofColor = (number: number) =>
  sharp({
    create: {
      width: 90,
      height: 90,
      channels: 3,
      background: { r: (number * 24) % 240, g: 60 * Math.floor(number / 10), b: 60 },
    },
  })
    .png()
    .toBuffer();

const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

describe("an uploaded picture", () => {
  it.each(["png", "jpeg", "webp", "avif"] as const)(
    "as %s is stored in two sizes and served under the hash of its content",
    async (format) => {
      const reader = await newReader();
      const file = await plain(120, 100).toFormat(format).toBuffer();
      const answer = await upload(reader, formWith(file));
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe("/account#picture");
      expect((await flashOf(answer))?.toast).toMatchObject(SAVED);

      const { avatarUrl, rows } = await stored(reader.id);
      const [row] = rows;
      if (!row) throw new Error("There is no picture.");
      expect(avatarUrl).toBe(`/avatars/${row.smallSha256}.webp`);
      for (const [sha, content, side] of [
        [row.smallSha256, row.small, 80],
        [row.largeSha256, row.large, 256],
      ] as const) {
        expect(sha256(content)).toBe(sha);
        const served = await serve(`/avatars/${sha}.webp`);
        expect(served.status).toBe(200);
        const bytes = new Uint8Array(await served.arrayBuffer());
        expect(sha256(bytes)).toBe(sha);
        const { format, width, height } = await sharp(bytes).metadata();
        expect({ format, width, height }).toEqual({ format: "webp", width: side, height: side });
      }
    },
  );

  it("replaces the former one, which is no longer served", async () => {
    const reader = await newReader();
    await upload(reader, formWith(await ofColor(1)));
    const before = await stored(reader.id);
    await upload(reader, formWith(await ofColor(2)));
    const after = await stored(reader.id);
    expect(after.rows).toHaveLength(1);
    expect(after.avatarUrl).not.toBe(before.avatarUrl);
    expect((await serve(before.avatarUrl)).status).toBe(404);
    expect((await serve(after.avatarUrl)).status).toBe(200);

    const answer = await remove(reader);
    expect(answer.headers.get("Location")).toBe("/account#picture");
    expect((await flashOf(answer))?.toast).toMatchObject({
      title: "Your picture has been removed.",
    });
    expect(await stored(reader.id)).toEqual({ avatarUrl: null, rows: [] });
    expect((await serve(after.avatarUrl)).status).toBe(404);
  });

  it("is the only one left of ten simultaneous uploads, and its address names it", async () => {
    const reader = await newReader();
    const files = await Promise.all(Array.from({ length: 10 }, (_, i) => ofColor(20 + i)));
    const answers = await Promise.all(files.map((file) => upload(reader, formWith(file))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(7);
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    const { avatarUrl, rows } = await stored(reader.id);
    expect(rows).toHaveLength(1);
    expect(avatarUrl).toBe(`/avatars/${rows[0]?.smallSha256}.webp`);
  });
});

describe("a file that is no picture", () => {
  const wrongFormat = "Please choose a PNG, JPEG, WebP or AVIF picture.";
  const missing = "Please choose a picture first.";
  const unreadable = "The picture couldn’t be read. Please choose another one.";
  const truncated = async () => (await plain(300, 300).jpeg().toBuffer()).subarray(0, -80);
  const textual = () => {
    const form = new FormData();
    form.append("picture", "me.png");
    return form;
  };
  const tooLarge = "The picture is larger than 5 MB. Please choose a smaller one.";

  let reader: Reader;
  beforeAll(async () => {
    reader = await newReader();
    await upload(reader, formWith(await ofColor(7)));
  });

  it.each([
    ["another format", () => formWith(Buffer.from("<svg/>")), wrongFormat],
    ["an empty one", () => formWith(Buffer.alloc(0)), missing],
    ["none", () => formWith(null), missing],
    ["a text in its field", () => textual(), missing],
    ["one of 5 MB and a byte", () => formWith(Buffer.alloc(5 * MEGABYTE + 1)), tooLarge],
    ["one of 12 MB", () => formWith(Buffer.alloc(12 * MEGABYTE)), tooLarge],
    ["one that ends early", async () => formWith(await truncated()), unreadable],
  ])("is refused with a message, and the current picture stays: %s", async (_what, body, words) => {
    const before = await stored(reader.id);
    expect(before.rows).toHaveLength(1);
    const answer = await upload(reader, await body());
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe("/account#picture");
    expect((await flashOf(answer))?.toast).toMatchObject(failed(words));
    expect(await stored(reader.id)).toEqual(before);
  });

  it("is refused with a message when its length was not stated", async () => {
    const whole = new Response(formWith(Buffer.alloc(6 * MEGABYTE)));
    const answer = await upload(reader, whole.body as ReadableStream, {
      "Content-Type": String(whole.headers.get("Content-Type")),
    });
    expect((await flashOf(answer))?.toast).toMatchObject(failed(tooLarge));
  });
});

describe("an upload without permission", () => {
  /** A body that records whether it was read. */
  function watchedBody() {
    const body = { wasRead: false };
    const pull = (controller: ReadableStreamDefaultController) => {
      body.wasRead = true;
      controller.close();
    };
    const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
    return { body, stream };
  }

  const MULTIPART = { "Content-Type": "multipart/form-data; boundary=x" };

  it("is not read when signed out", async () => {
    const { body, stream } = watchedBody();
    const answer = await upload({ cookie: "" }, stream, MULTIPART);
    expect(answer.status).toBe(302);
    expect(answer.headers.get("Location")).toBe("/auth?leads-to=%2Faccount");
    expect(body.wasRead).toBe(false);
  });

  it("is not read after thirty in an hour", async () => {
    const reader = await newReader();
    for (let i = 0; i < 30; i++) expect((await remove(reader)).status).toBe(303);
    const { body, stream } = watchedBody();
    const answer = await upload(reader, stream, MULTIPART);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(body.wasRead).toBe(false);
    // another account in the same network is unaffected
    expect((await remove(await newReader())).status).toBe(303);
  });

  it("may have only a few form fields", async () => {
    const form = formWith(await ofColor(8));
    for (let i = 0; i < 10; i++) form.append(`field-${i}`, "x");
    expect((await upload(await newReader(), form)).status).toBe(400);
  });
});

describe("a picture's address", () => {
  it("is cacheable for a year, and can be revalidated", async () => {
    const reader = await newReader();
    await upload(reader, formWith(await ofColor(9)));
    const { avatarUrl: address } = await stored(reader.id);
    const answer = await serve(address);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect(Number(headers["content-length"])).toBe((await answer.arrayBuffer()).byteLength);
    const head = await serve(address, {}, "HEAD");
    expect(head.headers.get("Content-Length")).toBe(headers["content-length"]);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    const again = await serve(address, { "If-None-Match": String(headers.etag) });
    expect(again.status).toBe(304);
    expect(again.headers.get("Cache-Control")).toBe(headers["cache-control"]);
  });
});
