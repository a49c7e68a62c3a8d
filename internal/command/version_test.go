package command

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionText(t *testing.T) {
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: "github.com/fdplan/fdplan", Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	end := ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "fdplan (devel), commit unknown"},
		{info(""), "fdplan (devel), commit unknown"},
		{info("v0.1.0"), "fdplan v0.1.0, commit unknown"}, // go install ...@v0.1.0
		{info("v0.1.0", revision, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), "fdplan v0.1.0, commit " + revision.Value},
		{info("v0.1.1-dev", debug.BuildSetting{Key: "vcs.modified", Value: "true"}, revision), "fdplan v0.1.1-dev, commit " + revision.Value + " (modified)"},
	} {
		if got := versionText(c.info); got != c.want+end {
			t.Errorf("%+v: %q, expected %q", c.info, got, c.want+end)
		}
	}
}

// TestVersion runs fdplan --version: one line on standard output, status 0, with
// or without a command before it.
func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"list", "--version"}} {
		status, stdout, stderr := session(args...)
		if want := buildVersion() + "\n"; status != exitDone || stdout != want || stderr != "" {
			t.Errorf("%q: status %d, output %q, errors %q; expected status 0 and %q", args, status, stdout, stderr, want)
		}
	}
}
