import { expect as playwrightExpect } from "playwright/test";
import { EFFECT_TIMEOUT } from "./effect-timeout.mjs";

/** Playwright's `expect`, with the timeout that all tests have for an effect. */
export const expect = playwrightExpect.configure({ timeout: EFFECT_TIMEOUT.timeout });
