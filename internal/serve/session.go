package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// A session is the access of one browser. It has two halves: an identifier in a cookie that
// scripts cannot read, and a key that the page keeps in the storage of its origin and sends in
// a header. Browsers send the cookie to every port of the host, and the key to none but this
// server's, so that neither half is of use alone.
const (
	keyHeader   = "Fdplan-Key"
	sessionIdle = 12 * time.Hour     // a session ends when it was not used for so long
	sessionLife = 7 * 24 * time.Hour // or is so old
	maxSessions = 64                 // the one that was not used for the longest time ends for another
)

// digest is the hash of a secret. Secrets are looked up by it, so that the time tells nothing.
type digest = [sha256.Size]byte

// session is what the server knows of one.
type session struct {
	key         digest
	begun, used time.Time
	ended       context.Context
	end         context.CancelFunc
}

// sessions are those of a server, and the codes for which new ones are given.
type sessions struct {
	now func() time.Time

	mu    sync.Mutex
	byID  map[digest]*session
	codes map[digest]time.Time // their ends; zero for none
}

// newSessions returns an empty list.
func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, byID: map[digest]*session{}, codes: map[digest]time.Time{}}
}

// code returns a code that can be exchanged once, within its life if that is not 0.
func (s *sessions) code(life time.Duration) string {
	code, end := rand.Text(), time.Time{}
	if life > 0 {
		end = s.now().Add(life)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[sha256.Sum256([]byte(code))] = end
	return code
}

// redeem uses up a code. It reports whether the code was good.
func (s *sessions) redeem(code string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := sha256.Sum256([]byte(code))
	end, ok := s.codes[d]
	delete(s.codes, d)
	return ok && (end.IsZero() || s.now().Before(end))
}

// begin makes a session and returns its halves.
func (s *sessions) begin() (id, key string, end time.Time) {
	id, key = rand.Text(), rand.Text()
	now := s.now()
	one := &session{key: sha256.Sum256([]byte(key)), begun: now, used: now}
	one.ended, one.end = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.byID) >= maxSessions {
		var oldest digest
		for d, other := range s.byID {
			if first := s.byID[oldest]; first == nil || other.used.Before(first.used) {
				oldest = d
			}
		}
		s.drop(oldest)
	}
	s.byID[sha256.Sum256([]byte(id))] = one
	return id, key, now.Add(sessionLife)
}

// drop ends a session. The caller holds the lock.
func (s *sessions) drop(d digest) {
	if one := s.byID[d]; one != nil {
		one.end()
		delete(s.byID, d)
	}
}

// find returns the session with both halves, nil for none, and notes that it was used.
func (s *sessions) find(id, key string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, now := sha256.Sum256([]byte(id)), s.now()
	one := s.byID[d]
	if one == nil {
		return nil
	}
	if now.Sub(one.used) > sessionIdle || now.Sub(one.begun) > sessionLife {
		s.drop(d)
		return nil
	}
	if sha256.Sum256([]byte(key)) != one.key {
		return nil
	}
	one.used = now
	return one
}

// touch notes that a session was used until now.
func (s *sessions) touch(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.used = s.now()
}

// end ends the session with an identifier.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(sha256.Sum256([]byte(id)))
}

// sessionRequest is what a page has to begin a session: one of both.
type sessionRequest struct {
	Token string `json:"token,omitempty"`
	Code  string `json:"code,omitempty"`
}

// sessionAnswer is the half of a session that the page keeps. The other is the cookie.
type sessionAnswer struct {
	Key     string    `json:"key"`
	Expires time.Time `json:"expires"` // at the latest
}

// NewCode returns a code that a page exchanges once for a session, within its life if that is
// not 0. The page takes it from the end of its address, after #code=.
func (s *Server) NewCode(life time.Duration) string { return s.access.sessions.code(life) }

// createSession exchanges the token, or a code, for a session.
func (s *Server) createSession(w http.ResponseWriter, r *http.Request) error {
	var q sessionRequest
	if err := decode(r, &q); err != nil {
		return err
	}
	switch {
	case (q.Token == "") == (q.Code == ""):
		return bad("expected a token, or a code")
	case q.Token != "" && !s.access.matches(q.Token):
		return &problemError{status: http.StatusUnauthorized, Message: "the token is wrong"}
	case q.Code != "" && !s.access.sessions.redeem(q.Code):
		return &problemError{status: http.StatusUnauthorized, Message: "the code is wrong, was used already, or is too old"}
	}
	if c, err := r.Cookie(s.access.cookie); err == nil {
		s.access.sessions.end(c.Value) // the browser forgets it
	}
	id, key, end := s.access.sessions.begin()
	s.access.setCookie(w, id, sessionLife)
	return answer(w, http.StatusCreated, sessionAnswer{key, end})
}

// getSession reports that a request is authorised.
func (s *Server) getSession(w http.ResponseWriter, r *http.Request) error {
	return nothing(w)
}

// deleteSession ends the session of the request, and the streams that it follows.
func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	c, err := r.Cookie(s.access.cookie)
	if err != nil || r.Header.Get("Authorization") != "" {
		return bad("the request has a token and no session; expected a session, which a page has")
	}
	s.access.sessions.end(c.Value)
	s.access.setCookie(w, "", -time.Second)
	return nothing(w)
}
