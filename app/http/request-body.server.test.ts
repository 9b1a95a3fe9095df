import { describe, expect, it } from "vitest";
import { FORM_LIMIT, readForm, readText, readUpload } from "./request-body.server";

function post(body: BodyInit, contentType?: string, method = "POST"): Request {
  return new Request("http://site.test/", {
    method,
    body,
    headers: contentType ? { "Content-Type": contentType } : {},
  });
}

async function rejected(work: Promise<unknown>): Promise<Response> {
  const outcome = await work.then(
    () => "was accepted",
    (thrown: unknown) => thrown,
  );
  expect(outcome).toBeInstanceOf(Response);
  return outcome as Response;
}

describe("a form's body", () => {
  it("is read from a urlencoded form, to be answered with a redirect", async () => {
    const form = await readForm(post(new URLSearchParams({ email: "a@b.c" })));
    expect({ ...form.fields }).toEqual({ email: "a@b.c" });
    expect(form.wantsJson).toBe(false);
  });

  it("is read from a multipart form", async () => {
    const body = new FormData();
    body.append("email", "a@b.c");
    expect((await readForm(post(body))).fields.email).toBe("a@b.c");
  });

  it("is read from JSON, to be answered with JSON", async () => {
    const form = await readForm(post('{"email":"a@b.c"}', "application/json; charset=utf-8"));
    expect(form.fields.email).toBe("a@b.c");
    expect(form.wantsJson).toBe(true);
  });

  it("becomes an array for a repeated field, which no schema accepts", async () => {
    const form = await readForm(
      post("email=a%40b.c&email=d%40e.f", "application/x-www-form-urlencoded"),
    );
    expect(form.fields.email).toEqual(["a@b.c", "d@e.f"]);
  });

  it("has at most 100 fields", async () => {
    const fields = (count: number) => new URLSearchParams(Array(count).fill(["a", "1"]));
    expect((await readForm(post(fields(100)))).fields.a).toHaveLength(100);
    const parts = new FormData();
    for (let i = 0; i <= 100; i++) parts.append(`a${i}`, "");
    for (const body of [fields(101), "&".repeat(100), parts]) {
      const type = typeof body === "string" ? "application/x-www-form-urlencoded" : undefined;
      expect((await rejected(readForm(post(body, type)))).status).toBe(400);
    }
  });

  it("is rejected when it comes in too many chunks", async () => {
    let sent = 0;
    const crumbs = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array([97]));
      },
    });
    const request = new Request("http://site.test/", {
      method: "POST",
      body: crumbs,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      duplex: "half",
    } as RequestInit);
    expect((await rejected(readForm(request))).status).toBe(400);
    expect(sent).toBeLessThan(3_000);
  });

  it("cannot reach the prototype of the fields", async () => {
    const form = await readForm(
      post("__proto__=1&constructor=2", "application/x-www-form-urlencoded"),
    );
    expect(Object.getPrototypeOf(form.fields)).toBeNull();
  });

  it.each([
    ["another content type", "<a/>", "text/xml", 415],
    ["no content type", new Uint8Array([1]), undefined, 415],
    ["broken JSON", "{", "application/json", 400],
    ["a JSON list", "[]", "application/json", 400],
    ["a multipart body without its boundary", "x", "multipart/form-data", 400],
    ["a multipart body cut short", "--b\r\nContent-Dispo", "multipart/form-data; boundary=b", 400],
  ])("rejects %s with a clear status", async (_name, body, contentType, status) => {
    const response = await rejected(readForm(post(body, contentType)));
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(/^[A-Z].*\.$/);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
    });
  });

  it("is rejected when the client disconnects in the middle of it", async () => {
    const request = new Request("http://site.test/", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("email="));
        },
        pull: (controller) => controller.error(new Error("aborted")),
      }),
      duplex: "half",
    } as RequestInit);
    const response = await rejected(readForm(request));
    expect(response.status).toBe(400);
    expect(await response.text()).toBe("The request ended before its body was complete.");
  });

  it("rejects another method and names the allowed one", async () => {
    const response = await rejected(readForm(post("a=b", undefined, "PUT")));
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("POST");
  });

  it("is not read past its limit, with or without Content-Length", async () => {
    const longest = "a".repeat(64 * 1024);
    expect(await readText(post(longest), FORM_LIMIT)).toBe(longest);
    const tooLarge = await rejected(readText(post(`${longest}a`), FORM_LIMIT));
    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.text()).toBe("The request is larger than 64 KB.");

    let isRead = false;
    const announced = new Request("http://site.test/", {
      method: "POST",
      headers: { "Content-Length": String(64 * 1024 + 1) },
      body: new ReadableStream(
        {
          pull: () => {
            isRead = true;
          },
        },
        { highWaterMark: 0 },
      ),
      duplex: "half",
    } as RequestInit);
    expect((await rejected(readText(announced, FORM_LIMIT))).status).toBe(413);
    expect(isRead).toBe(false);

    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(16 * 1024)),
    });
    const request = new Request("http://site.test/", {
      method: "POST",
      body: endless,
      duplex: "half",
    } as RequestInit);
    expect((await rejected(readText(request, FORM_LIMIT))).status).toBe(413);
  });
});

describe("a form with a file", () => {
  const RULES = { field: "picture", limit: 1024 * 1024 };
  // as bytes: canceling Node 24's stream of a FormData causes an unhandled rejection
  const read = async (body: BodyInit, contentType?: string) => {
    const whole = new Response(body);
    const type = contentType ?? whole.headers.get("Content-Type") ?? undefined;
    return readUpload(post(await whole.arrayBuffer(), type), RULES);
  };

  function formWith(file: Uint8Array<ArrayBuffer>): FormData {
    const form = new FormData();
    form.append("intent", "upload");
    form.append("picture", new Blob([file]), "me.png");
    return form;
  }

  /** A multipart body whose length is not stated, in chunks of a size. */
  function streamed(form: FormData, chunkBytes: number): Request {
    const whole = new Response(form);
    const contentType = String(whole.headers.get("Content-Type"));
    let rest: Uint8Array | undefined;
    const body = new ReadableStream({
      async pull(controller) {
        rest ??= new Uint8Array(await whole.arrayBuffer());
        if (rest.byteLength === 0) return controller.close();
        controller.enqueue(rest.slice(0, chunkBytes));
        rest = rest.subarray(chunkBytes);
      },
    });
    const headers = { "Content-Type": contentType };
    const init = { method: "POST", body, headers, duplex: "half" };
    return new Request("http://site.test/", init as RequestInit);
  }

  it("is read with its bytes as they are, up to the limit", async () => {
    const bytes = new Uint8Array(RULES.limit).map((_, index) => index % 256);
    const { fields, upload, wantsJson } = await read(formWith(bytes));
    expect({ ...fields }).toEqual({ intent: "upload", picture: "" });
    expect(wantsJson).toBe(false);
    expect(upload.kind === "file" && Buffer.compare(upload.bytes, bytes)).toBe(0);
  });

  it("is too large with one byte more, far more, or a length that was not stated", async () => {
    for (const size of [RULES.limit + 1, 4 * RULES.limit]) {
      const { upload } = await read(formWith(new Uint8Array(size)));
      expect(upload).toEqual({ kind: "too-large" });
    }
    const unstated = streamed(formWith(new Uint8Array(2 * RULES.limit)), 64 * 1024);
    expect((await readUpload(unstated, RULES)).upload).toEqual({ kind: "too-large" });
  });

  it("may have another form without one", async () => {
    const { fields, upload } = await read(new URLSearchParams({ intent: "remove" }));
    expect([fields.intent, upload.kind]).toEqual(["remove", "missing"]);
    const asJson = await read('{"intent":"remove"}', "application/json");
    expect([asJson.fields.intent, asJson.wantsJson]).toEqual(["remove", true]);
  });
});
