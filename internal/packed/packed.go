// Package packed reads and writes files that may be compressed. What is written is
// compressed as the end of the file's name says: .gz by gzip, .zst by Zstandard. What is
// read is known by its first bytes, whatever its name is.
package packed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/fdplan/fdplan/internal/packed/zstd"
)

// plain is the writer of a file that is not compressed.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// Writer compresses what is written to w as the name of the file says. Close completes
// it; it does not close w.
func Writer(name string, w io.Writer) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(name, ".zst"):
		return byZstd(w)
	}
	return plain{w}, nil
}

// program compresses what is written to it by a program of others.
type program struct {
	io.WriteCloser
	cmd  *exec.Cmd
	said bytes.Buffer
}

// byZstd compresses by the program zstd: reading is what data need, and few files are written so.
func byZstd(w io.Writer) (io.WriteCloser, error) {
	path, err := exec.LookPath("zstd")
	if err != nil {
		return nil, errors.New("writing Zstandard needs the program zstd (Debian package zstd); install it, or name the file .gz")
	}
	p := &program{cmd: exec.Command(path, "-q", "-c")}
	p.cmd.Stdout, p.cmd.Stderr = w, &p.said
	if p.WriteCloser, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting zstd: %w", err)
	}
	return p, nil
}

// Close waits for the program.
func (p *program) Close() error {
	err := p.WriteCloser.Close()
	if ended := p.cmd.Wait(); ended != nil {
		err = fmt.Errorf("zstd: %w: %.200s", ended, &p.said)
	}
	return err
}

// Plain is a file's name without the ending that says that it is compressed.
func Plain(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// maxWindow bounds the memory that a Zstandard file may ask for.
const maxWindow = 128 << 20

// Reader returns what a file has once it is decompressed, and whether it was compressed.
func Reader(r io.Reader) (io.ReadCloser, bool, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	magic, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		return z, true, err
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return io.NopCloser(zstd.NewReader(in, maxWindow)), true, nil
	}
	return io.NopCloser(in), false, nil
}

// Brotli decompresses data, up to so many bytes, by the program brotli: few files need it, and a
// library of it takes longer to compile than any other that fdplan uses.
func Brotli(data []byte, size int64) ([]byte, error) {
	program, err := exec.LookPath("brotli")
	if err != nil {
		return nil, errors.New("Brotli needs the program brotli (Debian package brotli); install it, or write the file with Zstandard, gzip or Snappy")
	}
	cmd := exec.Command(program, "--decompress", "--stdout")
	cmd.Stdin = bytes.NewReader(data)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting brotli: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(stdout, size))
	if err == nil && int64(len(out)) == size {
		var more [1]byte
		if n, _ := io.ReadFull(stdout, more[:]); n > 0 {
			err = fmt.Errorf("more than %d bytes", size)
		}
	}
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return out, cmd.Wait()
}
