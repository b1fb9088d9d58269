# inev in a container that holds nothing but inev:
#
#   docker build --build-arg VERSION=v1.2.3 -t inev .
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" inev explain model.aut 'Inev(REQ, ACK)'

# The build runs on the machine that is there and compiles for the one that is
# asked for, so that docker buildx needs no emulation.
FROM --platform=$BUILDPLATFORM golang:1.26.8@sha256:3c3e25a4da13fd0478eed2df1eb35a0e667094a7124d3993a6a1d30f71c17e79 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -tags urfave_cli_no_docs -ldflags "-s -w -X main.release=$VERSION" -o /out/inev ./cmd/inev

FROM scratch
ARG VERSION
LABEL org.opencontainers.image.title="inev" \
      org.opencontainers.image.description="Explains why something that should be inevitable is not" \
      org.opencontainers.image.source="https://github.com/inev-lts/inev" \
      org.opencontainers.image.documentation="https://github.com/inev-lts/inev#readme" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version=$VERSION
COPY --from=build /src/LICENSE /src/THIRD_PARTY.md /licenses/
COPY --from=build /out/inev /usr/local/bin/inev
# A number, since there is no file of users; one that owns nothing.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/inev"]
CMD ["--help"]
