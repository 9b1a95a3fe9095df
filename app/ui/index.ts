/**
 * The parts that most pages share. Pages import them from here, not from their files: the compiler writes a chunk for
 * each set of pages that import the same files, and this way they are one chunk, not fifteen requests.
 */
export * from "./button";
export * from "./dawn-scene";
export * from "./email-field";
export * from "./field";
export * from "./honeypot";
export * from "./honeypot-field";
export * from "./icons";
export * from "./notice-form";
export * from "./path-drawing";
export * from "./post-json";
export * from "./printed-address";
export * from "./static-section";
export * from "./toaster";
export * from "./use-browser-layout-effect";
export * from "./use-hydrated";
export * from "./use-on-demand";
export * from "./use-plain-links";
export * from "./use-redirecting";
export * from "./utc-date";
