package process

import (
	"bytes"
	"sync"
)

// Tail keeps the end of what is written to it. It is safe for concurrent use; the zero value
// keeps nothing.
type Tail struct {
	Limit int // bytes to keep

	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (t *Tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text[max(0, len(text)-t.Limit):]...)
	if len(t.text) > 4*t.Limit {
		t.text = append(t.text[:0], t.text[len(t.text)-t.Limit:]...)
	}
	return len(text), nil
}

// String returns the end of the text, without blanks around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text[max(0, len(t.text)-t.Limit):]))
}

// Head keeps the beginning of what is written to it.
type Head struct {
	bytes.Buffer
	Limit int // bytes to keep
	Over  bool
}

// Write never fails.
func (h *Head) Write(text []byte) (int, error) {
	if room := h.Limit - h.Len(); len(text) > room {
		h.Over = true
		h.Buffer.Write(text[:room])
		return len(text), nil
	}
	return h.Buffer.Write(text)
}
