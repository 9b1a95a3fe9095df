import { expect as playwrightExpect } from "playwright/test";
import { EFFECT_TIMEOUT } from "./effect-timeout.mjs";

/** Playwright's `expect`, with the tests' common timeout for effects. */
export const expect = playwrightExpect.configure({ timeout: EFFECT_TIMEOUT.timeout });
