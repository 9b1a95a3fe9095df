import { executionAsyncResource } from "node:async_hooks";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";

/*
 * React selects its development or production build when it is imported. The bundle's first import (see
 * first-import.server.ts) is this file, which the build keeps as a separate module, so that
 * `node build/index.js` gets the production build without NODE_ENV being set.
 */
process.env.NODE_ENV ??= "production";

/*
 * By default V8 lets the heap grow up to fourfold between collections, and rendering pages produces mostly
 * garbage: a steady load then takes 320 MB instead of 200, at the same speed.
 */
setFlagsFromString("--heap-growing-percent=30");

/*
 * V8 makes objects of a kind that lived long among the old ones from then on, and what it sees while a site starts has
 * nothing to do with the objects of requests (docs/decisions/0044-v8-defaults.md).
 */
setFlagsFromString("--no-allocation-site-pretenuring");

/*
 * Node makes an object for every `process.nextTick`, by a literal with computed keys, and V8 has fast code for such a
 * literal only while its objects get the same hidden class. It forgets the class when garbage is collected while there
 * is no such object, as on an idle site; one that is kept keeps it (docs/decisions/0044-v8-defaults.md).
 */
/** @type {object[]} */
export const keptTicks = [];
process.nextTick(() => keptTicks.push(executionAsyncResource()));

/*
 * How many properties an object of a class has room for, V8 decides by the first seven, and of these it sees only those that
 * are alive. Where garbage is collected between them, as can happen on a site that hardly has visitors yet, it finds none
 * and leaves no room: all responses from then on would be dictionaries (docs/decisions/0044-v8-defaults.md).
 */
export const keptResponse = new ServerResponse(new IncomingMessage(new Socket()));
