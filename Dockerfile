# docker build -t fdplan . && docker run --rm fdplan plan navigation/3x3 -H 4
# Files are read and written in /work: docker run --rm -v "$PWD:/work" fdplan ...

FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/ ./cmd/... && \
    CGO_ENABLED=0 go build -C cluster -trimpath -ldflags '-s -w' -o /out/ ./cmd/... && \
    CGO_ENABLED=0 go build -C highs -trimpath -ldflags '-s -w' -o /out/ ./cmd/...

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/ /usr/local/bin/
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/fdplan"]
