package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fdplan/fdplan/internal/process"
)

// chunkSize is the size of the pieces in which contents are stored.
const chunkSize = 256 << 10

// maxList bounds the chunks that one list names; the list itself is a chunk.
const maxList = chunkSize / 80

var (
	errMissing = errors.New("it is not in the store")
	errDamaged = errors.New("it is damaged")
)

// object is the list of the chunks of a content that is longer than a chunk. More
// than maxList chunks are in further lists.
type object struct {
	Size   int64  `json:"size"`
	Chunks []Hash `json:"chunks,omitempty"`
	Lists  []Hash `json:"lists,omitempty"`
}

// Keys of the bucket of objects. A content of at most one chunk has no list.
func chunkKey(h Hash) string { return "c." + string(h) }
func listKey(h Hash) string  { return "l." + string(h) }

// HashFile returns the hash of a file's content.
func HashFile(name string) (Hash, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", name, err)
	case n > MaxObject:
		return "", fmt.Errorf("%s has %d bytes; expected at most %d", name, n, int64(MaxObject))
	}
	return Hash(hex.EncodeToString(sum.Sum(nil))), nil
}

// put stores a value under a key that determines it. It does nothing if the key exists.
func (c *Client) put(ctx context.Context, key string, value []byte) error {
	return c.try(ctx, func(ctx context.Context) error {
		_, err := c.objects.Create(ctx, key, value)
		if errors.Is(err, jetstream.ErrKeyExists) {
			return nil
		}
		return full(err)
	})
}

// Put stores the content of a file, unless it is there, and returns its hash.
func (c *Client) Put(ctx context.Context, name string) (Hash, error) {
	h, err := HashFile(name)
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := c.putContent(ctx, f, h); err != nil {
		return "", fmt.Errorf("storing %s: %w", name, err)
	}
	return h, nil
}

// putContent stores a content whose hash is h.
func (c *Client) putContent(ctx context.Context, r io.Reader, h Hash) error {
	if has, err := c.has(ctx, c.objects, listKey(h)); err != nil || has {
		return err
	}
	var list object
	buf := make([]byte, chunkSize)
	sum := sha256.New()
	for {
		n, err := io.ReadFull(r, buf)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if n == 0 && list.Size > 0 {
			break
		}
		one := HashOf(buf[:n])
		sum.Write(buf[:n])
		if err := c.put(ctx, chunkKey(one), buf[:n]); err != nil {
			return err
		}
		list.Size += int64(n)
		list.Chunks = append(list.Chunks, one)
		if n < len(buf) {
			break
		}
	}
	if Hash(hex.EncodeToString(sum.Sum(nil))) != h {
		return errors.New("the file changed while it was read")
	}
	if len(list.Chunks) == 1 {
		return nil
	}
	return c.putList(ctx, h, list)
}

// putList stores a list of chunks, which is the last step of storing a content.
func (c *Client) putList(ctx context.Context, h Hash, list object) error {
	if len(list.Chunks) > maxList {
		for at := 0; at < len(list.Chunks); at += maxList {
			text, err := json.Marshal(list.Chunks[at:min(at+maxList, len(list.Chunks))])
			if err != nil {
				return err
			}
			one := HashOf(text)
			if err := c.put(ctx, chunkKey(one), text); err != nil {
				return err
			}
			list.Lists = append(list.Lists, one)
		}
		list.Chunks = nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return c.put(ctx, listKey(h), text)
}

// has reports whether a key has a value.
func (c *Client) has(ctx context.Context, kv jetstream.KeyValue, key string) (bool, error) {
	_, err := c.entry(ctx, kv, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}

// value returns the value of a key.
func (c *Client) value(ctx context.Context, kv jetstream.KeyValue, key string) ([]byte, error) {
	e, err := c.entry(ctx, kv, key)
	if err != nil {
		return nil, err
	}
	return e.Value(), nil
}

// entry returns the value of a key with its revision.
func (c *Client) entry(ctx context.Context, kv jetstream.KeyValue, key string) (e jetstream.KeyValueEntry, err error) {
	err = c.try(ctx, func(ctx context.Context) (err error) { e, err = kv.Get(ctx, key); return err })
	return e, err
}

// remove removes a revision of a key, and reports whether it was still there: what has
// replaced it stays.
func (c *Client) remove(ctx context.Context, kv jetstream.KeyValue, key string, revision uint64) (removed bool, err error) {
	err = c.try(ctx, func(ctx context.Context) error {
		err := kv.Delete(ctx, key, jetstream.LastRevision(revision))
		if removed = err == nil; errors.Is(err, jetstream.ErrKeyExists) {
			return nil
		}
		return full(err)
	})
	return removed, err
}

// chunk returns a chunk after a check of its hash.
func (c *Client) chunk(ctx context.Context, h Hash) ([]byte, error) {
	text, err := c.value(ctx, c.objects, chunkKey(h))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, fmt.Errorf("object %.12s: %w", h, errMissing)
	case err != nil:
		return nil, err
	case HashOf(text) != h:
		return nil, fmt.Errorf("object %.12s: %w", h, errDamaged)
	}
	return text, nil
}

// Get writes the content with a hash to w, which may have received a part of it
// when Get returns an error.
func (c *Client) Get(ctx context.Context, h Hash, w io.Writer) error {
	text, err := c.value(ctx, c.objects, listKey(h))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		if text, err = c.chunk(ctx, h); err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	if err != nil {
		return err
	}
	var list object
	if json.Unmarshal(text, &list) != nil || len(list.Lists) > maxList {
		return fmt.Errorf("object %.12s: %w", h, errDamaged)
	}
	for _, l := range list.Lists {
		text, err := c.chunk(ctx, l)
		if err != nil {
			return err
		}
		var more []Hash
		if json.Unmarshal(text, &more) != nil {
			return fmt.Errorf("object %.12s: %w", h, errDamaged)
		}
		list.Chunks = append(list.Chunks, more...)
	}
	sum := sha256.New()
	for _, one := range list.Chunks {
		text, err := c.chunk(ctx, one)
		if err != nil {
			return err
		}
		sum.Write(text)
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if Hash(hex.EncodeToString(sum.Sum(nil))) != h {
		return fmt.Errorf("object %.12s: %w", h, errDamaged)
	}
	return nil
}

// Bytes returns the content with a hash, of at most limit bytes.
func (c *Client) Bytes(ctx context.Context, h Hash, limit int) ([]byte, error) {
	b := process.Head{Limit: limit}
	err := c.Get(ctx, h, &b)
	if err == nil && b.Over {
		err = errors.New("a content is longer than expected")
	}
	return b.Bytes(), err
}
