package part

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/command"
	paper "github.com/fdplan/fdplan/paper/part"
)

// TestMain makes the test binary be the program where it is called fdplan.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "fdplan") {
		os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, command.Parts{Cluster: Part{}, Laboratory: paper.Part{}}))
	}
	os.Exit(m.Run())
}

// session runs the program in this process.
func session(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = command.Main(args, nil, &out, &errs, command.Parts{Cluster: Part{}, Laboratory: paper.Part{}})
	return status, out.String(), errs.String()
}
