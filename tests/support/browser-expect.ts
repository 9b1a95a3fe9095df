import { expect as playwrightExpect } from "playwright/test";
import { EFFECT_TIMEOUT } from "./effect-timeout.mjs";

/** Playwright's `expect`, which waits for pages as long as every other test waits for an effect. */
export const expect = playwrightExpect.configure({ timeout: EFFECT_TIMEOUT.timeout });
