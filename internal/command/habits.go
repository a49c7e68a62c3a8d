package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/nearest"
)

// otherCommands are what other programs call commands.
const otherCommands = `
version=--version -V=--version ls=list info=show describe=show view=show draw=show server=serve fit=train evaluate=test eval=test why=explain import=init
optimize=plan optimise=plan -?=--help /?=--help
`

// otherFlags are what other programs call flags; the first that the command has is meant.
const otherFlags = `
steps=horizon depth=horizon length=horizon max-steps=steps,horizon plan-length=horizon timeout=time-limit time=time-limit max-time=time-limit limit=time-limit
timelimit=time-limit set=set-initial init=set-initial start=set-initial initial-state=set-initial output=out output-file=out save=out write=out port=listen
bind=listen host=listen address=listen constraint=require rule=require assert=require objective=reward maximise=maximize planner=engine algorithm=engine
cores=threads cpus=threads num-threads=threads parallel=threads jobs=threads mem=memory memory-limit=memory max-memory=memory mem-limit=memory random-seed=seed
silent=quiet lr=rate learning-rate=rate hidden-layers=hidden layers=hidden iterations=epochs max-epochs=epochs problem=task environment=simulator env=simulator
sim=simulator device=simulator invariant=property query=property check=property certificate=certify cert=tls-cert tls-cert=cert key=tls-key tls-key=key
ranges=range target=goal domain-file=domain instance-file=instance problem-file=instance samples=rows n=rows bound=horizon
`

// advice says what there is in place of flags that have no other name.
var advice = map[string]string{
	"verbose": "progress is shown on a terminal, or with --progress json", "debug": "progress is shown on a terminal, or with --progress json", "v": "progress is shown on a terminal, or with --progress json",
	"format": "expected --json, or -o with a name that ends in .json, .html, .svg, .gif or .txt", "t": "expected --time-limit TIME or --threads N", "batch-size": "expected --epochs, --rate or --hidden",
	"optimal": "plans are proven optimal unless a limit ends the search", "dry-run": "expected fdplan show or fdplan check, which change nothing", "gpu": "nothing runs on a graphics card; expected --threads",
	"force": "files are replaced without it", "y": "nothing is asked; files are replaced",
}

// otherLetters are the long names of letters that other programs use.
const otherLetters = `
v=v t=t y=y j=threads s=seed e=engine p=port g=goal d=domain i=instance m=model
`

// expressions are the flags whose value may begin with a minus.
var expressions = []string{"goal", "require", "reward", "property"}

// longFlag matches a flag with one dash or two.
var longFlag = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_-]+)(=.*)?$`)

// habits returns a command line as people type it who are used to other programs in the words of this one. What cannot be meant is left
// for the parser to refuse.
func habits(args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	out := slices.Clone(args)
	out[0] = otherCommand(out)
	e := entryOf(out[0])
	if e == nil {
		return out, nil
	}
	known := e.known()
	for n := 1; n < len(out) && out[n] != "--"; n++ {
		m := longFlag.FindStringSubmatch(out[n])
		if one, short := strings.CutPrefix(out[n], "-"); short && m == nil && len(one) == 1 && !known[one] && otherWords(otherLetters, one) != nil {
			m = []string{out[n], otherWords(otherLetters, one)[0], ""}
			out[n] = "--" + m[1]
		}
		if m == nil {
			continue
		}
		if !strings.HasPrefix(out[n], "--") && known[out[n][1:2]] && !known[flagWord(m[1])] {
			continue // short flags
		}
		name := flagWord(m[1])
		if !known[name] {
			others := otherWords(otherFlags, name)
			j := slices.IndexFunc(others, func(to string) bool { return known[to] })
			switch {
			case j >= 0:
				name = others[j]
			case advice[name] != "":
				return nil, fmt.Errorf("there is no flag %s; %s", strings.TrimSuffix(args[n], m[2]), advice[name])
			case name == "help-all":
				out[n] = "--help=all"
				continue
			default:
				hint := nearest.Hint(name, names(known))
				if hint == "" {
					hint = fmt.Sprintf("; see fdplan %s --help", out[0])
				}
				return nil, fmt.Errorf("%s has no flag --%s%s", out[0], name, strings.Replace(hint, "mean ", "mean --", 1))
			}
		}
		out[n] = "--" + name + m[2]
		if slices.Contains(expressions, name) && m[2] == "" && n+1 < len(out) && strings.HasPrefix(out[n+1], "-") {
			out = slices.Replace(out, n, n+2, "--"+name+"="+out[n+1])
		}
		if strings.HasSuffix(flagWord(m[1]), "port") && name == "listen" {
			out = atPort(out, n)
		}
	}
	if out[0] == "certify" && len(out) > 2 && !strings.HasPrefix(out[1], "-") && !strings.HasPrefix(out[2], "-") {
		out[2] = "--problem=" + out[2] // as other commands name it
	}
	return twoFiles(out, known), nil
}

// otherCommand is the command that a command line asks for.
func otherCommand(args []string) string {
	if to := otherWords(otherCommands, args[0]); to != nil {
		return to[0]
	}
	if args[0] == "convert" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--format") }) {
		return "compile" // to another language
	}
	return args[0]
}

// otherWords are what a word of another program may mean by a list; nil where it is not in it.
func otherWords(list, name string) []string {
	for _, w := range strings.Fields(list) {
		if from, to, _ := strings.Cut(w, "="); from == name {
			return strings.Split(to, ",")
		}
	}
	return nil
}

// flagWord is a flag as this program writes flags.
func flagWord(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "-")) }

// known are the flags of a command, also by their letters.
func (e entry) known() map[string]bool {
	out := map[string]bool{}
	for _, o := range e.flags() {
		out[o.Flag], out[o.Short] = true, true
		if o.Negatable {
			out["no-"+o.Flag] = true
		}
	}
	delete(out, "")
	return out
}

func names(known map[string]bool) (out []string) {
	for name := range known {
		if len(name) > 1 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// atPort makes a port the address to listen on.
func atPort(args []string, n int) []string {
	flag, port, ok := strings.Cut(args[n], "=")
	if !ok && n+1 < len(args) {
		port = args[n+1]
		args = slices.Delete(args, n+1, n+2)
	}
	if !strings.Contains(port, ":") {
		port = "127.0.0.1:" + port
	}
	args[n] = flag + "=" + port
	return args
}

// twoFiles makes two arguments that are a domain and a problem the flags for them.
func twoFiles(args []string, known map[string]bool) []string {
	if !known["domain"] || known["contradictions"] {
		return args
	}
	for n := 1; n+1 < len(args); n++ {
		a, b := strings.ToLower(filepath.Ext(args[n])), strings.ToLower(filepath.Ext(args[n+1]))
		if a != b || a != ".rddl" && a != ".pddl" || strings.HasPrefix(args[n], "-") || strings.HasPrefix(args[n-1], "--") && !strings.Contains(args[n-1], "=") {
			continue
		}
		domain, problem := args[n], args[n+1]
		if load.IsDomain(problem) && !load.IsDomain(domain) {
			domain, problem = problem, domain
		}
		if a == ".rddl" {
			return slices.Replace(args, n, n+2, "--domain="+domain, "--instance="+problem)
		}
		return slices.Replace(args, n, n+2, problem, "--pddl="+domain)
	}
	return args
}

// standardInput puts standard input in the place of a file whose name is -. The returned function removes what is then in a file.
func (a *environment) standardInput(command any) (end func(), err error) {
	end = func() {}
	if r, ok := command.(interface{ Standard(io.Reader) error }); ok {
		if err := r.Standard(a.in); err != nil {
			return end, err
		}
	}
	for _, o := range app.Binder().Options(command) {
		file := o.Positional || slices.Contains([]string{"data", "log", "also"}, o.Flag)
		name, ok := o.Of(command).(*string)
		if !ok || !file || *name != "-" {
			continue
		}
		dir, err := os.MkdirTemp("", "fdplan-input-")
		if err != nil {
			return end, err
		}
		end = func() { os.RemoveAll(dir) }
		if *name, err = spool(a.in, dir); err != nil {
			return end, err
		}
	}
	return end, nil
}

// spool writes an input to a file of the folder, whose name tells what it seems to be.
func spool(in io.Reader, dir string) (name string, err error) {
	if in == nil {
		return "", errors.New("standard input: there is none")
	}
	first := make([]byte, 64)
	n, err := io.ReadFull(in, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", fmt.Errorf("standard input: %w", err)
	}
	name = "standard-input.csv"
	switch head := strings.TrimSpace(string(first[:n])); {
	case strings.HasPrefix(head, "PAR1"):
		name = "standard-input.parquet"
	case strings.HasPrefix(head, "{"), strings.HasPrefix(head, "["):
		name = "standard-input.jsonl"
	case strings.HasPrefix(head, "PK"):
		name = "standard-input.npz"
	}
	name = filepath.Join(dir, name)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(first[:n])
	if err == nil {
		_, err = io.Copy(f, in)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	return name, nil
}

// beginning is what the program prints without arguments.
const beginning = `fdplan plans with learned, discrete models of the world, and proves that its plans are the best.

  fdplan list                           the problems that come with it
  fdplan plan navigation/3x3            a plan, proven optimal and checked
  fdplan explain navigation/3x3 -H 3    why there is no plan, or what forces one
  fdplan init LOG.csv -o FOLDER         from the log of a device to a task, to train and to plan with
  fdplan serve                          all of it on a page in the browser

fdplan help lists all commands; fdplan COMMAND --help describes one.
`
