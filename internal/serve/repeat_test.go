package serve

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestRepeatedRequests sends the same request several times with one key, and another with it.
func TestRepeatedRequests(t *testing.T) {
	dir := t.TempDir()
	x := serveIn(t, dir, nil)
	post := func(key, body string) (int, http.Header, []byte) {
		req, err := http.NewRequest("POST", x.url+apiPrefix+"v1/jobs", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
		return x.do(req)
	}
	const plan = `{"kind":"plan","problem":"navigation/3x3","goal":"robot-at(x9,y12)"}`
	var mu sync.Mutex
	statuses := map[int]int{}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			status, _, _ := post("one", plan)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	group.Wait()
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusOK] != 3 {
		t.Errorf("the statuses are %v; expected one job", statuses)
	}
	if j := x.wait("1"); j.Reward == nil || *j.Reward != -3 {
		t.Errorf("the job with another goal: %+v", j)
	}
	status, header, body := post("one", `{"kind":"plan","problem":"navigation/3x3"}`)
	var refused details
	if err := json.Unmarshal(body, &refused); err != nil || status != http.StatusUnprocessableEntity || header.Get("Content-Type") != "application/problem+json" ||
		refused.Status != status || refused.Title != "Unprocessable Entity" || refused.Detail != refused.Message || refused.Type != "about:blank" {
		t.Errorf("another request with the key: status %d, %s", status, body)
	}
	if status, _, _ := post(strings.Repeat("k", 256), plan); status != http.StatusBadRequest {
		t.Errorf("a long key: status %d", status)
	}
	if status, _, _ := post("two", plan); status != http.StatusCreated {
		t.Errorf("another key: status %d", status)
	}
	x.wait("2")
	x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	var seen []string
	for cursor := ""; ; {
		var page struct {
			Jobs []Job
			Next *string
		}
		x.call("GET", "jobs?limit=2&cursor="+cursor, nil, http.StatusOK, &page)
		for _, j := range page.Jobs {
			seen = append(seen, j.ID)
		}
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	if strings.Join(seen, " ") != "3 2 1" {
		t.Errorf("the pages have the jobs %v", seen)
	}
	x.refused("GET", "jobs?cursor=x", nil, http.StatusBadRequest, "cursor")
}
