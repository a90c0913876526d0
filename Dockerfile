# The service as an image. It contains no PostgreSQL and requires DATABASE_URL.
#
#   docker build -t construction-data-translation .
#
# Behind a registry of one's own: --build-arg NODE_IMAGE=…, and --secret id=npmrc,src=$HOME/.npmrc for npm.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=optional --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json licences.allow.json ./
COPY scripts scripts
COPY migrations migrations
COPY libs libs
COPY src src
# The guides that the API's description links to, and the pages behind them; the service serves them.
COPY docs docs
RUN npm run build
COPY deploy/image/healthcheck.mjs ./
# In some checkouts only the owner may read the files, and the image's user is another one.
RUN chmod -R a+rX dist package.json healthcheck.mjs

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS service
# Nothing is installed at run time, and a package that is not there needs no security updates.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg
ENV NODE_ENV=production
WORKDIR /app
# Root owns all of it: the service can read its own files and cannot change them.
COPY --from=dependencies --chown=0:0 /build/node_modules node_modules
COPY --from=build --chown=0:0 /build/dist dist
COPY --from=build --chown=0:0 /build/package.json /build/healthcheck.mjs ./
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["node", "healthcheck.mjs", "/livez"]
# Node is process 1, so SIGTERM reaches the service directly. Other programs: docker run IMAGE dist/src/cli/main.js --help
ENTRYPOINT ["node", "--enable-source-maps"]
CMD ["dist/src/main.js"]
