# The gateway and nothing else: a static binary, public root certificates, its bill of materials and licences. No shell, no package
# manager, nothing that has to be written. make image builds what is copied here, for every platform, and then this.
FROM scratch

# Builders set these two for each platform.
ARG TARGETOS=linux
ARG TARGETARCH=amd64
ARG VERSION=unknown
ARG REVISION=unknown

LABEL org.opencontainers.image.title="TomTom MCP gateway" \
      org.opencontainers.image.description="A gateway in front of TomTom map MCP servers: every map arrives in the tool result" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

COPY dist/image/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE widgets/THIRD_PARTY_LICENCES /licences/
COPY cmd/gateway/demo/preview/page/THIRD_PARTY_LICENCES /licences/preview/
COPY dist/image/${TARGETOS}/${TARGETARCH}/sbom.cdx.json /sbom.cdx.json
COPY dist/image/${TARGETOS}/${TARGETARCH}/gateway /gateway

USER 65532:65532
EXPOSE 8080 9090
ENTRYPOINT ["/gateway"]
