# The daemon with Debian's ffmpeg, as a user of its own. docs/running-the-daemon.md has the command lines.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Without scripts, which would download programs that Debian's ffmpeg replaces.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
 && npm prune --omit=dev --omit=optional --ignore-scripts \
 && rm -rf node_modules/@ffprobe-installer

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ffmpeg ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --system --gid 900 venc \
 && useradd --system --uid 900 --gid venc --home-dir /data --shell /usr/sbin/nologin venc \
 && install --directory --owner=venc --group=venc --mode=0700 /data
WORKDIR /opt/venc
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/bin ./bin
COPY --from=build /build/completions ./completions
COPY --from=build /build/dist/venc ./dist/venc
RUN ln -s /opt/venc/bin/venc.js /usr/local/bin/venc
USER venc
ENV NODE_ENV=production VENC_DATA=/data
VOLUME /data
EXPOSE 8686
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8686/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The daemon handles SIGTERM itself and ends its encoders: it needs no init process.
STOPSIGNAL SIGTERM
ENTRYPOINT ["venc"]
CMD ["daemon", "--host", "0.0.0.0"]
