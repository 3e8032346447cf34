# The service on Bun: one stage compiles, one installs the packages for running, and the last holds both.
# Build with the digest of the base image: see "Bases, bill of materials and provenance" in docs/containers.md.
ARG BUN_IMAGE=docker.io/oven/bun:1.4.5-slim

FROM ${BUN_IMAGE} AS build
WORKDIR /app
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --ignore-scripts
COPY tsconfig.json asconfig.json ./
COPY scripts scripts
COPY assembly assembly
COPY src src
RUN bun run build

# The image has its own Bun, and the compiler is no longer needed.
FROM ${BUN_IMAGE} AS packages
WORKDIR /app
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --ignore-scripts --production \
  && rm -rf node_modules/bun node_modules/@oven node_modules/assemblyscript node_modules/binaryen

FROM ${BUN_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# See docs/decisions/0007-threads.md
ENV BUN_JSC_thresholdForFTLOptimizeAfterWarmUp=1000000
WORKDIR /app
RUN mkdir /data && chown bun:bun /data
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY assembly/abi.ts assembly/abi-dates.ts assembly/abi-parts.ts assembly/abi-signs.ts assembly/
COPY src src
COPY --from=build /app/build build
USER bun
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/v1/health`)).ok ? 0 : 1)"]
# No shell, so the service itself gets signals.
ENTRYPOINT ["bun", "src/main.ts"]
