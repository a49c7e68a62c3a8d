package serve

import (
	"strings"
	"sync"
)

// maxCached bounds the bytes of a cache.
const maxCached = 32 << 20

// cache has texts that are costly to find again.
type cache struct {
	mu    sync.Mutex
	texts map[string][]byte
	bytes int
}

// get returns a text, nil for none.
func (c *cache) get(key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.texts[key]
}

// put keeps a text. A cache that would be too large is emptied first.
func (c *cache) put(key string, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(text) > maxCached/4 {
		return
	}
	if c.bytes+len(text) > maxCached {
		clear(c.texts)
		c.bytes = 0
	}
	c.bytes += len(text) - len(c.texts[key])
	c.texts[key] = text
}

// forget removes the texts about one problem: their keys begin with it and a zero.
func (c *cache) forget(problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, text := range c.texts {
		if strings.HasPrefix(key, problem+"\x00") {
			c.bytes -= len(text)
			delete(c.texts, key)
		}
	}
}
