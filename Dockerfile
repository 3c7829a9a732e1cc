# One image for the API, the worker and the migrate step; docker-compose.yml says which of them a container runs.
# All stages use the same base image.

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are the local stack's PostgreSQL, a native add-on that needs an install script, and the build tools.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY api api
COPY worker worker
COPY shared shared
# The API serves modulectl as one file, which the build makes with its license and its page.
COPY LICENSE ./
COPY docs/vendors.md docs/
RUN npm run build && rm -r dist/.tsbuildinfo dist/shared/cli

FROM node:24.21.0-bookworm-slim
# Nothing is installed or built from here on. Without package managers, an intruder has fewer tools.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# The AWS SDK needs HOME, and a user without a name has none.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 ADMIN_PORT=9464 HOME=/app
# A numeric user lets Kubernetes verify that it is not root. Root owns all files above, so the service cannot change itself.
USER 65532:65532
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "dist/shared/process/health-check.js"]
# As shared/process/node-options.ts says.
ENTRYPOINT ["node", "--v8-pool-size=1", "--max-semi-space-size=16", "--heap-growing-percent=100"]
CMD ["dist/api/main.js"]
