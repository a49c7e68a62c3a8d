package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionText returns the line that --version prints: the version of the
// module, the commit that it was built from as far as the build recorded it,
// the Go version, and the system. A build without any record passes nil.
func versionText(info *debug.BuildInfo) string {
	version, commit, modified := "(devel)", "", ""
	if info != nil {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = ", commit " + s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " (modified)"
			}
		}
	}
	if commit == "" {
		commit, modified = ", commit unknown", ""
	}
	return fmt.Sprintf("fdplan %s%s%s, %s %s/%s", version, commit, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion returns versionText of the running program.
func buildVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionText(info)
}
