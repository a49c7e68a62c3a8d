package serve

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxFiles bounds the files of one upload.
const maxFiles = 64

// uploadTime is how long an upload may take, beside a second for each MiB that it announces, and readTime how long a command may read what was
// uploaded.
const (
	uploadTime = 10 * time.Minute
	readTime   = 30 * time.Minute
)

// maxDrained bounds what is read of an upload that is refused. A client that is cut off while it
// sends does not see why.
const maxDrained = 1 << 30

// formSize bounds what a form has beside its files.
const formSize = maxFiles * (maxField + 4<<10)

// maxField bounds a field of a form that is no file.
const maxField = 16 << 10

// form is what a request has uploaded, with the files in a folder of their own.
type form struct {
	folder string
	files  []string // names in the folder
	fields map[string]string

	room, most int64 // bytes that files may still have, and all together
}

// patient lets a request whose body was read take its time, in which the deadline for reading
// would end it, and that for its answer, if much was read.
func patient(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Now().Add(answerTime))
}

// receive reads a form with files into a new folder, which the caller removes.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (f *form, err error) {
	most := s.config.Limits.Upload + formSize
	if r.ContentLength > most && r.Header.Get("Expect") != "" { // nothing was sent yet
		w.Header().Set("Connection", "close")
		return nil, tooLarge(s.config.Limits.Upload)
	}
	// A large upload may take longer than other requests.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadTime + time.Duration(max(0, min(r.ContentLength, most))>>20)*time.Second))
	body := r.Body
	r.Body = http.MaxBytesReader(nil, body, most)
	defer func() {
		if err != nil {
			w.Header().Set("Connection", "close")
			_, _ = io.CopyN(io.Discard, body, maxDrained)
		}
		patient(w)
	}()
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, bad("the body is no upload: %v; expected multipart/form-data", err)
	}
	folder, err := s.folder.temporary("upload")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(refused(err), os.RemoveAll(folder))
		}
	}()
	f = &form{folder: folder, fields: map[string]string{}, room: s.config.Limits.Upload, most: s.config.Limits.Upload}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := f.take(part); err != nil {
			return nil, err
		}
	}
	if len(f.files) == 0 {
		return nil, bad("there is no file in the upload; expected at least one")
	}
	return f, nil
}

// refused is an error of reading a form as the client is told it.
func refused(err error) error {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return tooLarge(large.Limit - formSize)
	}
	var path *os.PathError
	if e := new(problemError); errors.As(err, &e) || errors.As(err, &path) {
		return err
	}
	return bad("the upload cannot be read: %v", err)
}

// tooLarge refuses an upload.
func tooLarge(most int64) error {
	return &problemError{status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the upload has more than %d bytes", most)}
}

// take stores one part of a form.
func (f *form) take(part *multipart.Part) error {
	if part.FileName() == "" {
		text, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil {
			return err
		}
		if len(text) > maxField {
			return bad("the field %.40q has more than %d bytes", part.FormName(), maxField)
		}
		f.fields[part.FormName()] = string(text)
		return nil
	}
	name, err := fileName(part.FileName())
	if err != nil {
		return err
	}
	if len(f.files) == maxFiles {
		return bad("there are more than %d files", maxFiles)
	}
	out, err := os.OpenFile(filepath.Join(f.folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return bad("two files have the name %s", name)
	}
	if err != nil {
		return err
	}
	f.files = append(f.files, name)
	n, err := io.CopyN(out, part, f.room+1)
	if err == io.EOF {
		err = nil
	}
	if f.room -= n; f.room < 0 {
		err = tooLarge(f.most)
	}
	return errors.Join(err, out.Close())
}

// fileName returns the last part of the name of an uploaded file. A name that could mean
// something else on some system, or to a command, is refused: files name each other.
func fileName(name string) (string, error) {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	strange := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-+() ", r)
	}
	if name == "" || len(name) > 100 || !utf8.ValidString(name) || strings.ContainsFunc(name, strange) ||
		strings.ContainsAny(name[:1], ".- ") || !filepath.IsLocal(name) {
		return "", bad("%.60q is not a name for a file here; expected at most 100 letters, digits, and . _ - + ( )", name)
	}
	return name, nil
}

// identifier makes an identifier of a name.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 40 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
