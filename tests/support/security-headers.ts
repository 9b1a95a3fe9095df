import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Answer } from "./http-client";

/** The headers that every response of the site must have; other sites' pages may show those that are `embeddable`. */
export function expectSecurityHeaders(
  { headers }: Pick<Answer, "headers">,
  { embeddable = false } = {},
): void {
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": expect.stringMatching(/^strict-origin(-when-cross-origin)?$/),
    "permissions-policy": expect.stringContaining("camera=()"),
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": embeddable ? "cross-origin" : "same-origin",
  });
  expect(headers["x-powered-by"]).toBeUndefined();
  expect(headers.server).toBeUndefined();
  const policy = policyOf({ headers });
  expect(policy["default-src"]).toEqual(["'none'"]);
  expect(policy["frame-ancestors"]).toEqual(["'none'"]);
  expect(policy["base-uri"]).toEqual(["'none'"]);
}

/** A response's Content-Security-Policy, by directive. */
export function policyOf({ headers }: Pick<Answer, "headers">): Record<string, string[]> {
  const policy = String(headers["content-security-policy"] ?? "");
  return Object.fromEntries(
    policy
      .split(";")
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name = "", ...sources]) => [name, sources]),
  );
}

/** A page's inline scripts with nonce and hash, as a browser checks them; data such as JSON-LD is not a script. */
function inlineScripts(html: string): { nonce: string | null; hash: string }[] {
  return [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)]
    .map(([, attributes = "", source = ""]) => ({ attributes, source }))
    .filter(({ attributes }) => !/\bsrc=|application\/ld\+json/.test(attributes))
    .map(({ attributes, source }) => ({
      nonce: /\bnonce="([^"]*)"/.exec(attributes)?.[1] ?? null,
      hash: `'sha256-${createHash("sha256").update(source).digest("base64")}'`,
    }));
}

/**
 * Expects a page's policy to allow its own scripts and no others. The policy names each inline script by hash or
 * nonce, and has no `unsafe-inline`, `unsafe-eval` or wildcard. No element has an event handler attribute.
 */
export function expectStrictPolicy(page: Answer): void {
  const sources = policyOf(page)["script-src"] ?? [];
  const scripts = inlineScripts(page.text);
  expect(scripts.length).toBeGreaterThan(0);
  for (const { nonce, hash } of scripts) {
    expect(sources).toContain(nonce === null ? hash : `'nonce-${nonce}'`);
  }
  for (const source of sources) {
    expect(source).toMatch(/^('self'|'sha256-[\w+/]{43}='|'nonce-[\w+/]{22}==')$/);
  }
  expect(policyOf(page)["style-src"]).toEqual(["'self'"]);
  expect(page.text).not.toMatch(/<[^>]+\son\w+=/);
  expect(page.text).not.toMatch(/href="javascript:/);
}
