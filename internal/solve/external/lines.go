package external

import "bytes"

// lines cuts what is written to it into lines and hands them over.
type lines struct {
	take   func([]byte) error
	failed func() // called once, when take has failed
	limit  int64  // of a line's length
	rest   []byte // of a line whose end has not come
	err    error  // the first
}

// Write never fails: a solver whose output is nonsense must not die of a broken
// pipe before it is stopped.
func (l *lines) Write(text []byte) (int, error) {
	n := len(text)
	for l.err == nil {
		at := bytes.IndexByte(text, '\n')
		if at < 0 {
			l.rest = append(l.rest, text...)
			if int64(len(l.rest)) > l.limit {
				l.fail(&OutputError{Line: string(l.rest[:min(len(l.rest), 200)]), Msg: "a line that does not end"})
			}
			break
		}
		line := text[:at]
		if len(l.rest) > 0 {
			l.rest = append(l.rest, line...)
			line = l.rest
		}
		if err := l.take(bytes.TrimRight(line, "\r")); err != nil {
			l.fail(err)
		}
		l.rest = l.rest[:0]
		text = text[at+1:]
	}
	return n, nil
}

func (l *lines) fail(err error) {
	l.err = err
	l.failed()
}

// close hands over a last line without an end and returns the first error.
func (l *lines) close() error {
	if l.err == nil && len(l.rest) > 0 {
		l.err = l.take(l.rest)
	}
	return l.err
}
