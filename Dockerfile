# The command and nothing else: the single executable, which `npm run build:binary` makes, on a slim Debian.
#   npm run build:binary -- --out dist/assay
#   docker build --tag assay .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" assay run --target https://sandbox.example.com
FROM debian:bookworm-slim
COPY --chmod=0755 dist/assay /usr/local/bin/assay
# A user that owns nothing. It has a number, so that a cluster can see that it is not root.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/assay"]
CMD ["--help"]
