import { join } from "node:path";
import * as build from "@remix-run/dev/server-build";
import { createRequestHandler } from "@remix-run/express";
import type { ServerBuild } from "@remix-run/node";
import express, { type Express } from "express";

const YEAR_SECONDS = 31_536_000;

/** The site as an Express app: built assets, the files of `public/`, then Remix. */
export function createSite(projectRoot: string): Express {
  const app = express();
  app.disable("x-powered-by");
  const publicDirectory = join(projectRoot, "public");
  app.use(
    "/build",
    // the names carry a hash of the content, so a browser may keep them for good
    express.static(join(publicDirectory, "build"), {
      immutable: true,
      maxAge: YEAR_SECONDS * 1000,
      fallthrough: false,
      index: false,
      redirect: false,
    }),
  );
  app.use(express.static(publicDirectory, { maxAge: "1h", index: false, redirect: false }));
  app.all("*", createRequestHandler({ build: build as unknown as ServerBuild }));
  return app;
}
