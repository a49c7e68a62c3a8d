package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
	"time"
)

// contentPolicy lets the page load nothing but the server's own files, run no inline script
// and be framed by nobody. Pictures may be made of data that the page has fetched.
const contentPolicy = "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// access decides who may use the server.
type access struct {
	token    string
	hosts    []string // values of Host that are answered, with port, the server's own first; nil for all
	cookie   string   // name of the cookie that has the identifier of a session
	secure   bool     // the server speaks TLS
	sessions *sessions
}

// protect refuses requests that reached the server under a foreign name (DNS rebinding) or
// that a page of another origin sent, and restricts what a browser does with the answers.
func (a *access) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if a.hosts != nil && !slices.Contains(a.hosts, strings.ToLower(r.Host)) {
			refuse(w, &problemError{status: http.StatusMisdirectedRequest, Message: "the server does not answer for this host", Hint: "expected " + strings.Join(a.hosts, " or ")})
			return
		}
		if !a.sameOrigin(r) {
			refuse(w, &problemError{status: http.StatusForbidden, Message: "the request comes from another origin"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameOrigin reports whether the request may come from the page of this server or from a
// program that is no browser. A link from elsewhere may lead to the page, not to the
// interface.
func (a *access) sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != a.origin(r) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, apiPrefix)
}

// origin is the one of the server's page, under the name that the request used.
func (a *access) origin(r *http.Request) string {
	if a.secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// authorise reports whether the request has the token in its header, or both halves of a
// session. The context that it returns ends with the request or the session.
func (a *access) authorise(r *http.Request) (ctx context.Context, cancel context.CancelFunc, ok bool) {
	if value, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return r.Context(), func() {}, a.matches(value)
	}
	c, err := r.Cookie(a.cookie)
	if err != nil {
		return nil, nil, false
	}
	one := a.sessions.find(c.Value, r.Header.Get(keyHeader))
	if one == nil {
		return nil, nil, false
	}
	ctx, end := context.WithCancel(r.Context())
	stop := context.AfterFunc(one.ended, end)
	return ctx, func() {
		stop()
		end()
		a.sessions.touch(one) // which a stream has used until now
	}, true
}

// oneName leads a browser that has asked for the page by another name of this machine to the
// server's own address. Another program could listen under the other name, such as on ::1 for
// localhost, and would have the page's storage and cookies.
func (a *access) oneName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(a.hosts) > 1 && !a.secure && strings.ToLower(r.Host) != a.hosts[0] {
			http.Redirect(w, r, "http://"+a.hosts[0]+r.URL.RequestURI(), http.StatusTemporaryRedirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// matches compares a token in a time that does not depend on where it differs.
func (a *access) matches(token string) bool {
	given, own := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(a.token))
	return subtle.ConstantTimeCompare(given[:], own[:]) == 1
}

// setCookie sets the cookie with the identifier of a session; a life below 0 removes it.
func (a *access) setCookie(w http.ResponseWriter, id string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookie, Value: id, Path: apiPrefix, HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteStrictMode, MaxAge: int(life.Seconds()),
	})
}
