package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestForeignKeys stores what is no key, unit, result or reason of ours, as anybody can who
// reaches the server. Its state is still told, with what can be read, and work goes on.
func TestForeignKeys(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	c := connect(t, url)
	ctx := t.Context()
	id, err := unit(4).ID()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.setAside(ctx, HashOf(nil), &Aside{Unit: Unit{Kind: "test"}, Reason: "a true reason"}); err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "{", "null", "[1]", `"x"`, `{"reason":3}`, `{"begun":"x"}`, "\xff\x00", strings.Repeat("x", 10_000)}
	wrong := 0
	for _, bucket := range []string{resultBucket, objectBucket, attemptBucket, asideBucket, boardBucket} {
		for i, text := range texts {
			for _, key := range []string{fmt.Sprint("key", i), fmt.Sprintf("a.b%%%d.ä", i), string(HashOf([]byte(text)))} {
				if _, err := c.js.Publish(ctx, "$KV."+bucket+"."+key, []byte(text)); err != nil {
					t.Fatal(err)
				}
				if bucket == asideBucket && key != string(HashOf(nil)) {
					wrong++
				}
			}
		}
		if _, err := c.js.Publish(ctx, "$KV."+bucket+"."+string(id), []byte("no")); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"x", "v.x.y.z", "..", "v." + string(HashOf(nil))} {
		c.js.Publish(ctx, unitSubject+name, []byte(texts[i]))
	}
	if _, err := c.js.CreateConsumer(ctx, unitStream, jetstream.ConsumerConfig{Durable: "another", FilterSubject: unitSubject + "another.*", AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	s, err := c.Status(ctx, 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if want := uint64(wrong) + 1; s.Failed < want || len(s.Aside) == 0 {
		t.Errorf("%d of at least %d keys, %d lines", s.Failed, want, len(s.Aside))
	}
	unreadable := 0
	for _, line := range s.Aside {
		if strings.Contains(line.Reason, "not readable") || strings.Contains(line.Reason, "not a unit's") {
			unreadable++
		}
	}
	if unreadable == 0 {
		t.Errorf("%+v", s.Aside)
	}
	// The unit has a wrong result, wrong attempts and a wrong reason to be set aside.
	work(t, connect(t, url), "w", 1, runnerFunc(square))
	if r, err := session(t, connect(t, url)).Do(ctx, unit(4)); err != nil || string(r.Output) != "16" {
		t.Errorf("%v, %v", r, err)
	}
}
