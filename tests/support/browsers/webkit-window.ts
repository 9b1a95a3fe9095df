import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { webkit } from "playwright";
import { Builder, Origin, type WebDriver } from "selenium-webdriver";
import { eventually } from "../eventually";
import { freePorts } from "../ports.mjs";
import { type BrowserWindow, WINDOW_SIZE, type WindowOptions } from "./browser-window";
import { openPlaywrightWindow } from "./playwright-window";
import { installedWebkit, type Webkit } from "./webkit.mjs";

type ScrollActions = {
  scroll(x: number, y: number, deltaX: number, deltaY: number, origin: string): WebDriverActions;
};

type WebDriverActions = ReturnType<WebDriver["actions"]>;

/** A new WebKit with one window. */
export async function openWebkitWindow(options: WindowOptions): Promise<BrowserWindow> {
  const found = await installedWebkit();
  if (found.kind === "webdriver") return openDriverWindow(found, options);
  const browser = await webkit.launch();
  return { ...(await openPlaywrightWindow(browser, options)), close: () => browser.close() };
}

/** A window of WebKitGTK's MiniBrowser, over WebDriver, which does not report errors in pages. */
async function openDriverWindow(
  { driver, browser, xvfb }: Extract<Webkit, { kind: "webdriver" }>,
  { javaScript, size = WINDOW_SIZE }: WindowOptions,
): Promise<BrowserWindow> {
  const started: ChildProcess[] = [];
  const stop = async () => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill();
      await once(child, "exit");
    }
  };
  try {
    const variables = { ...process.env };
    if (xvfb !== null) {
      const display = spawn(
        xvfb,
        ["-displayfd", "3", "-screen", "0", "2048x1536x24", "-nolisten", "tcp"],
        {
          stdio: ["ignore", "ignore", "ignore", "pipe"],
        },
      );
      started.push(display);
      const [number] = await once(display.stdio[3] as Readable, "data");
      variables.DISPLAY = `:${String(number).trim()}`;
    }
    const port = await freePorts(1);
    started.push(spawn(driver, [`--port=${port}`], { stdio: "ignore", env: variables }));
    const server = `http://127.0.0.1:${port}`;
    await eventually(() => fetch(`${server}/status`));
    const session = await new Builder()
      .usingServer(server)
      .withCapabilities({
        browserName: "MiniBrowser",
        "webkitgtk:browserOptions": {
          binary: browser,
          args: ["--automation", `--enable-javascript=${javaScript}`],
        },
      })
      .build();
    await resize(session, size);
    return {
      errors: [],
      goto: (url) => session.get(url),
      url: () => session.getCurrentUrl(),
      evaluate: (pageFunction, argument) =>
        session.executeScript(`return (${pageFunction}).apply(null, arguments)`, argument),
      clickAt: (x, y) =>
        session.actions().move({ x, y, origin: Origin.VIEWPORT }).click().perform(),
      type: (text) => session.actions().sendKeys(text).perform(),
      // Selenium's types lack the wheel
      wheel: (distance) =>
        (session.actions() as unknown as ScrollActions)
          .scroll(size.width / 2, size.height / 2, 0, distance, Origin.VIEWPORT)
          .perform(),
      close: async () => {
        await session.quit();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resizes the window until the page has this size; the size of the browser's frame is unknown. */
async function resize(session: WebDriver, { width, height }: { width: number; height: number }) {
  const inner = () =>
    session.executeScript<{ width: number; height: number }>(
      "return { width: window.innerWidth, height: window.innerHeight }",
    );
  const before = await inner();
  const outer = await session.manage().window().getRect();
  await session
    .manage()
    .window()
    .setRect({
      x: 0,
      y: 0,
      width: outer.width - before.width + width,
      height: outer.height - before.height + height,
    });
  await eventually(async () => {
    const now = await inner();
    if (now.width !== width || now.height !== height)
      throw new Error(`is ${now.width} × ${now.height}`);
  });
}
