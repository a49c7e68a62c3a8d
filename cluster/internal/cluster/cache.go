package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// cache keeps inputs on a worker's disk, each in a file named by its hash.
type cache struct {
	c     *Client
	dir   string
	limit int64

	mu   sync.Mutex
	used map[Hash]int64 // bytes of what is there
	last []Hash         // in the order of the last use
	busy map[Hash]*sync.Mutex
}

// newCache opens a folder; what is there is checked when it is used first.
func newCache(c *Client, dir string, limit int64) (*cache, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder of inputs: %w", err)
	}
	// Files of an earlier worker may be damaged, and count towards no limit.
	old, err := os.ReadDir(dir)
	for _, f := range old {
		if err == nil {
			err = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("clearing the folder of inputs: %w", err)
	}
	return &cache{c: c, dir: dir, limit: limit, used: map[Hash]int64{}, busy: map[Hash]*sync.Mutex{}}, nil
}

// link makes the content with a hash appear as the file name, which nobody may
// change: it is the cached file itself where the file system allows that.
func (k *cache) link(ctx context.Context, h Hash, name string) error {
	one := k.lock(h)
	defer one.Unlock()
	at := filepath.Join(k.dir, string(h))
	k.mu.Lock()
	_, has := k.used[h]
	k.mu.Unlock()
	if !has {
		size, err := k.fetch(ctx, h, at)
		if err != nil {
			return err
		}
		k.mu.Lock()
		k.used[h] = size
		k.mu.Unlock()
	}
	err := atomicfile.Link(at, name)
	k.touch(h)
	return err
}

// lock locks one content, so that it is fetched once.
func (k *cache) lock(h Hash) *sync.Mutex {
	k.mu.Lock()
	m := k.busy[h]
	if m == nil {
		m = &sync.Mutex{}
		k.busy[h] = m
	}
	k.mu.Unlock()
	m.Lock()
	return m
}

// fetch brings a content and returns its size.
func (k *cache) fetch(ctx context.Context, h Hash, at string) (int64, error) {
	var size int64
	err := atomicfile.Write(at, func(w io.Writer) error {
		return k.c.Get(ctx, h, writerFunc(func(p []byte) (int, error) { size += int64(len(p)); return w.Write(p) }))
	})
	if err == nil {
		err = os.Chmod(at, 0o444)
	}
	return size, err
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// touch notes the use of a content, and removes those whose last use is longest ago
// while all are larger than the limit. Links to a removed file stay valid.
func (k *cache) touch(h Hash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = append(slices.DeleteFunc(k.last, func(x Hash) bool { return x == h }), h)
	var sum int64
	for _, size := range k.used {
		sum += size
	}
	for sum > k.limit && len(k.last) > 1 && k.last[0] != h {
		old := k.last[0]
		if !k.remove(old) {
			return
		}
		sum -= k.used[old]
		delete(k.used, old)
		k.last = k.last[1:]
	}
}

// remove removes the file of a content, unless it is being used.
func (k *cache) remove(h Hash) bool {
	m := k.busy[h]
	if m == nil || !m.TryLock() {
		return false
	}
	defer m.Unlock()
	err := os.Remove(filepath.Join(k.dir, string(h)))
	return err == nil || os.IsNotExist(err)
}
