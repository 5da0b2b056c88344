# Only the extension, for operators that mount an image as a volume (CloudNativePG's .spec.postgresql.extensions):
# PostgreSQL 18 finds it by extension_control_path and dynamic_library_path. dist/ (make tarball) is the context:
#   docker build -f packaging/docker/extension.Dockerfile -t memory_search-extension:18 dist
# pgvector is an image of its own there.
FROM scratch AS tarball
ADD memory_search-*-pg18-*.tar.gz /

FROM scratch
COPY --from=tarball /memory_search/ /
