package command

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// codeLife is how long a browser may take to open the page.
const codeLife = 5 * time.Minute

// openBrowser lets the user's browser open an address that nobody else may know. Arguments of
// programs can be read by all users, so the browser is given a file in a private folder that
// leads there. close removes it.
func openBrowser(ctx context.Context, url string) (remove func() error, err error) {
	dir, err := os.MkdirTemp(readable(), "fdplan-open-")
	if err != nil {
		return nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	file := filepath.Join(dir, "fdplan.html")
	to := html.EscapeString(url)
	text := `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>fdplan</title>
<meta http-equiv="refresh" content="0;url=` + to + `"></head><body><p><a href="` + to + `">Open fdplan</a></p></body></html>
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, errors.Join(err, remove())
	}
	command := []string{"xdg-open", file}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", file}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", file}
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, remove())
	}
	go func() { _ = cmd.Wait() }()
	return remove, nil
}

// readable is the folder for files that a browser is to read: "" for that of temporary files.
// Browsers that were installed as snaps read nothing there, but the user's home.
func readable() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if info, err := os.Stat(filepath.Join(home, "snap")); err != nil || !info.IsDir() {
		return ""
	}
	return home
}

// loose returns a warning about a file with a secret that others can read or change; "" for
// none.
func loose(name string) string {
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 || info.Mode()&fs.ModeType != 0 {
		return ""
	}
	what := "read"
	if info.Mode().Perm()&0o022 != 0 {
		what = "change"
	}
	return fmt.Sprintf("--token-file %s: other users can %s it, its mode is %04o; expected 0600", name, what, info.Mode().Perm())
}
