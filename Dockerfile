# The images of Natrium. They take what `npm run build` made (`dist/`); every program needs only Node and what lies beside it.
#
#   npm run build && docker compose build
#
# Targets: broker, service (acl-service, master-gateway, runner-service, event-sink), minion, cli (also founds the cluster), and
# database, for who has no PostgreSQL for the event-sink.
# No image holds a key: volumes bring them, each container only its own (containers/init.mjs).
ARG NODE_IMAGE=node:26-bookworm-slim
ARG NATS_IMAGE=nats:2.10-alpine
ARG POSTGRES_IMAGE=postgres:17-bookworm

FROM ${NATS_IMAGE} AS nats

# What is copied keeps its mode, and who runs it is not its owner: it is readable for all, whatever umask the clone was made under.
FROM ${NODE_IMAGE} AS files
COPY . /opt/natrium/
RUN chmod -R go+rX /opt/natrium
# The Node of the images is another one than the build's.
RUN for keeper in /opt/natrium/dist/*/keep-compiled.cjs; do node "$keeper" || exit 1; done

# One user without rights, a root file system that nothing has to write to, and a folder of state for each container.
FROM ${NODE_IMAGE} AS base
RUN echo 'natrium:x:10001:10001:natrium:/var/lib/natrium:/usr/sbin/nologin' >> /etc/passwd \
 && echo 'natrium:x:10001:' >> /etc/group \
 && mkdir -p /etc/natrium/pki /etc/natrium/master.d /var/lib/natrium/run \
 && chown -R 10001:10001 /etc/natrium /var/lib/natrium
ENV NODE_ENV=production
WORKDIR /opt/natrium
COPY --from=files /opt/natrium/containers/check.mjs containers/
USER 10001:10001
VOLUME /var/lib/natrium

FROM base AS broker
COPY --from=nats /usr/local/bin/nats-server /usr/local/bin/nats-server
COPY --from=files /opt/natrium/containers/nats/ /etc/nats/
COPY --from=files /opt/natrium/containers/check-broker.mjs /opt/natrium/containers/heard.mjs /opt/natrium/containers/stale.mjs containers/
ENTRYPOINT ["nats-server", "-c"]
CMD ["/etc/nats/cluster.conf"]

FROM base AS service
COPY --from=files /opt/natrium/dist/acl-service/ dist/acl-service/
COPY --from=files /opt/natrium/dist/master-gateway/ dist/master-gateway/
COPY --from=files /opt/natrium/dist/runner-service/ dist/runner-service/
COPY --from=files /opt/natrium/dist/event-sink/ dist/event-sink/
# As `natriumctl up` starts them.
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=262144
ENTRYPOINT ["node"]

# The settings of an agent that is idle most of the time, as `natriumctl up` starts it.
FROM base AS minion
COPY --from=files /opt/natrium/dist/minion-agent/ dist/minion-agent/
COPY --from=files /opt/natrium/dist/cli/ dist/cli/
COPY --from=files /opt/natrium/bin/ bin/
ENV PATH=/opt/natrium/bin:$PATH MALLOC_MMAP_THRESHOLD_=32768 MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=16384
ENTRYPOINT ["node", "--max-semi-space-size=4", "--v8-pool-size=1", "--heap-growing-percent=20", "--expose-gc", "--compact-on-every-full-gc", "dist/minion-agent/main.mjs"]

FROM base AS cli
COPY --from=files /opt/natrium/dist/cli/ dist/cli/
COPY --from=files /opt/natrium/bin/ bin/
COPY --from=files /opt/natrium/containers/init.mjs containers/
COPY --from=files /opt/natrium/tools/role-keys.mjs tools/
ENV PATH=/opt/natrium/bin:$PATH
# `natriumctl init` makes the broker's certificates with openssl. The folders are what a volume takes its owner from.
USER 0:0
RUN command -v openssl > /dev/null \
 || (apt-get update && apt-get install -y --no-install-recommends openssl && rm -rf /var/lib/apt/lists/*)
RUN for name in acl gateway runner sink broker minion cli offline events; do mkdir -p /volumes/$name; done \
 && chown -R 10001:10001 /volumes && chmod 700 /volumes/*
USER 10001:10001
CMD ["sleep", "infinity"]

# The user is the event-sink's, by which PostgreSQL knows it.
FROM ${POSTGRES_IMAGE} AS database
RUN echo 'natrium:x:10001:10001:natrium:/var/lib/natrium:/usr/sbin/nologin' >> /etc/passwd \
 && echo 'natrium:x:10001:' >> /etc/group \
 && mkdir -p /var/lib/natrium /run/natrium-database \
 && chown 10001:10001 /var/lib/natrium /run/natrium-database \
 && chmod 700 /var/lib/natrium
COPY --from=files /opt/natrium/containers/database/ /opt/natrium/containers/database/
ENV PGHOST=/run/natrium-database PGUSER=natrium PGDATABASE=natrium
USER 10001:10001
# Ends at once, and in peace: at SIGTERM it would wait for its clients.
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/opt/natrium/containers/database/start.sh"]
CMD []
